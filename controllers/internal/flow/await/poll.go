package await

import (
	"context"
	"time"
)

// pollInterval is for waits on objects that cannot be watched.
const pollInterval = 300 * time.Millisecond

// Poll calls check until it returns nil. If the context ends first, it returns the last error of check.
func Poll(ctx context.Context, check func() error) error {
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pollInterval):
		}
	}
}
