package etcd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"go.uber.org/zap"
)

func TestFatal(t *testing.T) {
	const variable = "GARDENER_TEST_FATAL"
	if os.Getenv(variable) != "" {
		config := Config{Name: "etcd-garden", Fatal: func(message string) { fmt.Println(message) }}
		zapLogger(logr.Discard(), config.fatal).Fatal("failed to save", zap.String("to", "log"), zap.Error(syscall.ENOSPC))
		os.Exit(0)
	}
	t.Run("APP-3 the reason is told before etcd ends the process", func(t *testing.T) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFatal$")
		cmd.Env = append(os.Environ(), variable+"=1")
		out, err := cmd.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || strings.TrimSpace(string(out)) != "etcd-garden: failed to save: no space left on device" {
			t.Errorf("it ends with %v after %q", err, out)
		}
	})
}

func TestErrorsOfEtcdShow(t *testing.T) {
	var shown []string
	log := funcr.New(func(_, line string) { shown = append(shown, line) }, funcr.Options{})
	etcd := zapLogger(log, nil)
	etcd.Error("failed to update storage version", zap.Error(errors.New(young)))
	if len(shown) != 0 {
		t.Errorf("APP-35 a new etcd has no error, but shows %q", shown)
	}
	etcd.Error("failed to update storage version", zap.Error(errors.New("disk is full")))
	if len(shown) != 1 {
		t.Errorf("APP-35 another error is shown %d times", len(shown))
	}
}
