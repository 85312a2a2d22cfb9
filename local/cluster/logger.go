package cluster

import (
	"fmt"
	"strings"

	"github.com/go-logr/logr"
	kindlog "sigs.k8s.io/kind/pkg/log"
)

// logger sends the logs of the kind library to our log. The library's progress messages for users become debug
// output.
type logger struct{ log logr.Logger }

var _ kindlog.Logger = logger{}

func (l logger) Warn(message string)                      { l.log.Info("Kind warns", "message", tidy(message)) }
func (l logger) Warnf(format string, args ...any)         { l.Warn(fmt.Sprintf(format, args...)) }
func (l logger) Error(message string)                     { l.log.Info("Kind reports an error", "message", tidy(message)) }
func (l logger) Errorf(format string, args ...any)        { l.Error(fmt.Sprintf(format, args...)) }
func (l logger) V(level kindlog.Level) kindlog.InfoLogger { return infoLogger{l.log.V(1 + int(level))} }

type infoLogger struct{ log logr.Logger }

func (l infoLogger) Info(message string)              { l.log.Info("Kind", "message", tidy(message)) }
func (l infoLogger) Infof(format string, args ...any) { l.Info(fmt.Sprintf(format, args...)) }
func (l infoLogger) Enabled() bool                    { return l.log.Enabled() }

// tidy removes formatting meant for a terminal.
func tidy(message string) string { return strings.TrimSpace(message) }
