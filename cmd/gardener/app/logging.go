package app

import (
	"fmt"
	"os"
	"strings"

	"github.com/go-logr/logr"
	"github.com/go-logr/zapr"
	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"

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
// format is json or text.
func setComponentLogger(format string) error {
	settings := zap.NewProductionConfig()
	if format == "text" {
		settings.Encoding, settings.EncoderConfig.EncodeTime = "console", zapcore.ISO8601TimeEncoder
	}
	log, err := settings.Build(zap.WithCaller(false))
	if err != nil {
		return fmt.Errorf("make logger: %w", err)
	}
	ctrllog.SetLogger(zapr.NewLogger(log))
	return nil
}

// configuredFormat is the logFormat in the configuration file of one of Gardener's components, or json. The component itself reports a file
// that it cannot read.
func configuredFormat(cmd *cobra.Command) string {
	configuration := struct {
		APIVersion string `json:"apiVersion"`
		LogFormat  string `json:"logFormat"`
	}{}
	if flag := cmd.Flags().Lookup("config"); flag != nil {
		if content, err := os.ReadFile(flag.Value.String()); err == nil {
			_ = yaml.Unmarshal(content, &configuration)
		}
	}
	if group, _, _ := strings.Cut(configuration.APIVersion, "/"); strings.HasSuffix(group, ".config.gardener.cloud") && configuration.LogFormat == "text" {
		return "text"
	}
	return "json"
}
