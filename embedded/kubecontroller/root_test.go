package kubecontroller

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

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

func TestControllersOutlastTheReplacementOfFiles(t *testing.T) {
	root := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(root, []byte("root"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(Config{Name: "test", RootCA: root})
	s.pause = time.Millisecond
	errPair := errors.New("private key does not match public key")
	t.Run("OPR-29 controllers that cannot be built while files are replaced are built a moment later", func(t *testing.T) {
		tries, errEnd := 0, errors.New("end")
		err := s.followRoot(t.Context(), func(context.Context) error {
			if tries++; tries < 3 {
				return fmt.Errorf("%w: %w", errBuild, errPair)
			}
			return errEnd
		})
		if !errors.Is(err, errEnd) || tries != 3 {
			t.Errorf("%d tries, %v", tries, err)
		}
	})
	t.Run("controllers that can never be built end with the reason", func(t *testing.T) {
		tries := 0
		err := s.followRoot(t.Context(), func(context.Context) error { tries++; return fmt.Errorf("%w: %w", errBuild, errPair) })
		if !errors.Is(err, errPair) || tries != buildTries {
			t.Errorf("%d tries, %v", tries, err)
		}
	})
}
