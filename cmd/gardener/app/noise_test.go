package app

import (
	"errors"
	"os/exec"
	"strings"
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
		"an error of Kubernetes shows":                {logger: "seed-controllers.gc", message: "Failed", err: errors.New("no"), shown: true},
		"an answer that nobody reads does not":        {logger: "kubernetes", message: "Unhandled Error", err: errors.New("unable to write: http2: stream closed")},
		"another unhandled error shows":               {logger: "kubernetes", message: "Unhandled Error", err: errors.New("no"), shown: true},
		"a pod that cannot start shows":               {logger: "node.kubelet", message: "Error syncing pod, skipping", err: errors.New("no"), shown: true},
		"one that does not start at the end does not": {logger: "node.kubelet", message: "Error syncing pod, skipping", err: errors.New("x: the node is stopping")},
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

// errorOf logs what a row of the table is about and tells whether it shows.
func errorOf(logger, message, text string) bool {
	core, seen := observer.New(zapcore.InfoLevel)
	zapr.NewLogger(zap.New(quiet{core})).WithName(logger).Error(errors.New("x: "+text), message)
	return seen.Len() == 1
}

func TestNoErrorOfOursIsNoise(t *testing.T) {
	for _, n := range noise {
		for _, logger := range kubernetes {
			if errorOf(logger, n.message, n.err) {
				t.Errorf("%q with error %q of logger %s shows", n.message, n.err, logger)
			}
		}
		for _, logger := range []string{"", "node", "gardenlet", "seed-operators", "gardener-controller-manager", "kubernetes-of-ours"} {
			if !errorOf(logger, n.message, n.err) {
				t.Errorf("%q with error %q of logger %q does not show", n.message, n.err, logger)
			}
		}
	}
	for _, message := range starts {
		if !errorOf("gardenlet", message, "no") {
			t.Errorf("the error %q does not show", message)
		}
	}
}

// TestNoiseIsReviewed fails when a library changes: compare the table with what it logs now, then name its new version.
func TestNoiseIsReviewed(t *testing.T) {
	for module, reviewed := range map[string]string{"k8s.io/kubernetes": "v1.36.3", "sigs.k8s.io/controller-runtime": "v0.24.1"} {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module).Output()
		if err != nil {
			t.Fatal(err)
		}
		if now := strings.TrimSpace(string(out)); now != reviewed {
			t.Errorf("%s is %s, the noise was reviewed with %s", module, now, reviewed)
		}
	}
}
