package faults

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// TestDownWhileItStarts stops a landscape that has just begun to start. Its state directory has a name with spaces, quotes, letters of other
// languages, and what shells, patterns and templates replace.
func TestDownWhileItStarts(t *testing.T) {
	l := framework.New(t)
	l.MoveState(`the state of it's "[landscape]*" in $(HOME) %s/Дмитрий/日本 😀`)
	for _, after := range []time.Duration{300 * time.Millisecond, time.Second, 3 * time.Second} {
		t.Run("APP-3 down "+after.String()+" after up stops what starts", func(t *testing.T) {
			l := l.For(t)
			type end struct {
				framework.Result
				err error
			}
			lock := filepath.Join(l.StateDir, "lock")
			held, _ := os.ReadFile(lock)
			up := make(chan end, 1)
			go func() {
				r, err := l.Exec(context.Background(), "up")
				up <- end{r, err}
			}()
			testwait.Until(t, "up has the lock", func() error {
				if now, err := os.ReadFile(lock); err != nil || len(now) == 0 || string(now) == string(held) {
					return fmt.Errorf("it holds %q, %w", now, err)
				}
				return nil
			})
			time.Sleep(after) // down is to come at whatever up does then
			if r := l.Run("down", "--timeout=4m"); r.Code != 0 || !strings.Contains(r.Stdout, "stopped in") {
				t.Errorf("down ends with %d: %s%s", r.Code, r.Stdout, r.Stderr)
			}
			if r := <-up; r.err != nil || r.Code == 0 || !strings.Contains(r.Stderr, "was stopped while it started") && !strings.Contains(r.Stderr, "interrupted") {
				t.Errorf("up ends with %d, %v: %s%s", r.Code, r.err, r.Stdout, r.Stderr)
			}
			if left := l.Processes(); len(left) > 0 {
				t.Errorf("processes are left: %v", left)
			}
			if r := l.Run("status"); r.Code != 3 || strings.Contains(r.Stderr, "by itself") {
				t.Errorf("status ends with %d: %s", r.Code, r.Stderr)
			}
		})
	}
	t.Run("APP-2 a state directory whose name has quotes, brackets and emoji does", func(t *testing.T) {
		l := l.For(t)
		l.Gardener("up")
		l.Gardener("down")
		l.Gardener("up")
		l.StatusTable()
		l.Kubectl(l.Garden(), "get", "namespaces")
	})
}
