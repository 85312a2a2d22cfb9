package app

import (
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"github.com/go-logr/zapr"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/appliance/config"
)

// setLoggers sends all loggers of the process to zap. Kubernetes' own servers log a lot, so they get one level less
// than our parts. overhear wraps the logger of klog.
func setLoggers(cfg config.Log, overhear func(logr.Logger) logr.Logger) (logr.Logger, error) {
	var level zapcore.Level
	switch cfg.Level {
	case "debug":
		level = zapcore.DebugLevel
	case "info":
		level = zapcore.InfoLevel
	case "error":
		level = zapcore.ErrorLevel
	default:
		return logr.Discard(), fmt.Errorf("unknown log level %q", cfg.Level)
	}
	encoding := zap.NewProductionEncoderConfig()
	encoding.EncodeTime = zapcore.ISO8601TimeEncoder
	encoder := zapcore.NewJSONEncoder(encoding)
	if cfg.Format == "text" {
		encoder = zapcore.NewConsoleEncoder(encoding)
	}
	core := func(level zapcore.Level) logr.Logger {
		core := zapcore.NewCore(encoder, zapcore.Lock(os.Stderr), level)
		if cfg.Level != "debug" {
			core = quiet{core}
		}
		return zapr.NewLogger(zap.New(core))
	}
	log := core(level)
	ctrllog.SetLogger(log)
	klog.SetLogger(overhear(core(max(level, zapcore.WarnLevel)).WithName("kubernetes")))
	return log, nil
}

// setComponentLogger sets the logger of our own components. Kubernetes' servers have flags for their logs.
func setComponentLogger() error {
	log, err := zap.NewProduction(zap.WithCaller(false))
	if err != nil {
		return fmt.Errorf("make logger: %w", err)
	}
	ctrllog.SetLogger(zapr.NewLogger(log))
	return nil
}
