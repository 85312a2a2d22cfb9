package pki

import (
	"context"
	"time"
)

// RenewInterval is how often a running landscape looks for certificates that are due; a third of a certificate's
// life is left then, so that many attempts are possible.
const RenewInterval = time.Hour

// RunRenewal renews what is due until ctx ends. renewed is called after each look, with the error if there was one;
// an error does not end the loop.
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
