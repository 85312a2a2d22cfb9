package pki

import (
	"context"
	"time"
)

// RenewInterval is how often a running landscape looks for certificates that are due. A third of the validity is left then,
// which leaves time for many attempts.
const RenewInterval = time.Hour

// RunRenewal renews what is due until ctx ends. It calls renewed after each attempt, with the error if there was one. An
// error does not end the loop.
func (p *PKI) RunRenewal(ctx context.Context, renewed func(*Bundle, error)) error {
	ticker := time.NewTicker(RenewInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
			renewed(p.Ensure())
		}
	}
}
