package managers

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// starter stands for a manager.
type starter func(context.Context) error

func (s starter) Start(ctx context.Context) error { return s(ctx) }

// named is a manager with a logger.
type named struct {
	starter
	log logr.Logger
}

func (n named) GetLogger() logr.Logger { return n.log }

func TestWhatAManagerRunsHasItsLogger(t *testing.T) {
	var names []string
	mgr := named{
		starter: func(ctx context.Context) error { log.FromContext(ctx).Info("Serving"); return nil },
		log:     funcr.New(func(name, _ string) { names = append(names, name) }, funcr.Options{}).WithName("gardenlet"),
	}
	if err := runAll(t.Context(), mgr); err != nil || !slices.Equal(names, []string{"gardenlet"}) {
		t.Errorf("APP-35 it logs as %q, %v", names, err)
	}
}

func TestManagersEndTogether(t *testing.T) {
	errBoom := errors.New("boom")
	running := make(chan struct{}, 2)
	runs := starter(func(ctx context.Context) error {
		running <- struct{}{}
		<-ctx.Done()
		return nil
	})
	fails := starter(func(context.Context) error {
		<-running
		<-running
		return errBoom
	})
	if err := runAll(t.Context(), runs, fails, runs); !errors.Is(err, errBoom) {
		t.Errorf("when one fails, the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-running; cancel() }()
	if err := runAll(ctx, runs); err != nil {
		t.Errorf("when it is to end, the error is %v", err)
	}
}
