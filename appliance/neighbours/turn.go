package neighbours

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// patience is how long a start waits for others that choose. It is far longer than a choice takes.
const patience = 30 * time.Second

// Turn lets the landscapes of this user choose one after the other. The caller chooses, saves its configuration and calls end. After
// half a minute it is everybody's turn. The lock is that of the user's home, which exists anyway, so that nothing is left behind. A user
// without a home, or with one that cannot be read, waits for nobody.
func Turn(ctx context.Context) (end func(), err error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return func() {}, nil
	}
	dir, err := os.Open(home)
	if err != nil {
		return func() {}, nil
	}
	err = wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, errors.ErrUnsupported) {
		_ = dir.Close()
		return nil, fmt.Errorf("wait for the starts of other landscapes: %w", err)
	}
	return func() { _ = dir.Close() }, nil
}
