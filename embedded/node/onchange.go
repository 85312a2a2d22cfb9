package node

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"
)

// changePeriod is the interval for reading a file that ends the process when it changes. The file is a key of a Secret, whose
// directory is replaced as a whole.
const changePeriod = time.Second

// onChange calls do once the file has another content than now. It ends with the context.
func onChange(ctx context.Context, path string, do func()) error {
	before, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the file that ends this process: %w", err)
	}
	go func() {
		tick := time.NewTicker(changePeriod)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if now, err := os.ReadFile(path); err == nil && !bytes.Equal(now, before) {
				do()
				return
			}
		}
	}()
	return nil
}
