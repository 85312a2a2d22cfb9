package app

import (
	"errors"
	"testing"

	"github.com/go-logr/zapr"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func TestQuiet(t *testing.T) {
	for name, tc := range map[string]struct {
		logger, message string
		err             error
		info, shown     bool
	}{
		"a finding of ours shows":                     {logger: "garden-manager", message: "Reconciler error", err: errors.New("no"), shown: true},
		"that a part is ready shows":                  {message: "Part is ready", info: true, shown: true},
		"that a controller starts does not":           {logger: "garden-manager", message: "Starting workers", info: true},
		"information of Kubernetes does not":          {logger: "seed-controllers.gc", message: "Running", info: true},
		"an error of Kubernetes shows":                {logger: "seed-controllers.gc", message: "Failed", err: errors.New("no"), shown: true},
		"an answer that nobody reads does not":        {logger: "kubernetes", message: "Unhandled Error", err: errors.New("unable to write: http2: stream closed")},
		"another unhandled error shows":               {logger: "kubernetes", message: "Unhandled Error", err: errors.New("no"), shown: true},
		"a pod that cannot start shows":               {logger: "node", message: "Error syncing pod, skipping", err: errors.New("no"), shown: true},
		"one that does not start at the end does not": {logger: "node", message: "Error syncing pod, skipping", err: errors.New("x: the node is stopping")},
	} {
		t.Run(name, func(t *testing.T) {
			core, seen := observer.New(zapcore.InfoLevel)
			log := zapr.NewLogger(zap.New(quiet{core})).WithName(tc.logger).WithValues("key", "value")
			if tc.info {
				log.Info(tc.message)
			} else {
				log.Error(tc.err, tc.message)
			}
			if got := seen.Len() == 1; got != tc.shown {
				t.Errorf("shown: %t, want %t", got, tc.shown)
			}
		})
	}
}
