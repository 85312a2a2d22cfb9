package snapshotter_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/robfig/cron/v3"
	"go.uber.org/goleak"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/retention"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// TestMain fails if the tests leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunReturnsWhenNothingRuns(t *testing.T) {
	opened, err := store.Open(t.Context(), store.Config{Provider: "local", Container: "bucket", Prefix: "shoot", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	yearly, err := cron.ParseStandard("@yearly")
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]*store.Store{"without backups": nil, "with backups": opened} {
		t.Run(name, func(t *testing.T) {
			others := goleak.IgnoreCurrent()
			asked := make(chan struct{}, 1)
			s := snapshotter.New(snapshotter.Config{
				Store: in, SpoolDir: t.TempDir(), Defragmentation: yearly, Retention: retention.Policy{}, RetentionPeriod: time.Hour, Log: logr.Discard(),
				Leads: func() bool {
					select {
					case asked <- struct{}{}:
					default:
					}
					return false
				},
			})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { s.Run(ctx); close(ended) }()
			if in != nil {
				<-asked
			}
			cancel()
			<-ended
			goleak.VerifyNone(t, others)
		})
	}
}
