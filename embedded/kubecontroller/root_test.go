package kubecontroller

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/polled"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestControllersFollowTheRootCA(t *testing.T) {
	root := filepath.Join(t.TempDir(), "ca.crt")
	write := func(content string) {
		if err := os.WriteFile(root, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("former")
	s := New(Config{Name: "test", RootCA: root})
	published := make(chan string, 8)
	run := func(ctx context.Context) error {
		content, err := os.ReadFile(root) // once, as the controllers do
		published <- string(content)
		<-ctx.Done()
		return errors.Join(err, ctx.Err())
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.followRoot(ctx, run) }()
	if got := <-published; got != "former" {
		t.Fatalf("published %q", got)
	}
	t.Run("OPR-29 controllers begin anew with another root CA", func(t *testing.T) {
		write("both")
		testwait.Until(t, "the other root CA", func() error {
			if err := polled.Now(t.Context()); err != nil {
				return err
			}
			select {
			case got := <-published:
				if got != "both" {
					t.Errorf("published %q", got)
				}
				return nil
			default:
				return errors.New("it is not published")
			}
		})
	})
	t.Run("OPR-29 controllers that are stopped do not begin anew", func(t *testing.T) {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) || len(published) > 0 {
			t.Errorf("error %v, %d more runs", err, len(published))
		}
	})
}
