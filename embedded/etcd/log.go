package etcd

import (
	"strings"

	"github.com/go-logr/logr"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// zapLogger passes etcd's errors to log, and its warnings at V(1): those are about single slow requests. fatal learns a message
// before etcd ends the process with it.
func zapLogger(log logr.Logger, fatal func(message string)) *zap.Logger {
	return zap.New(&logrCore{log: log}, zap.WithFatalHook(fatalHook(fatal)))
}

// fatalHook ends the process, as zap does without one.
type fatalHook func(message string)

// OnWrite implements zapcore.CheckWriteHook.
func (f fatalHook) OnWrite(entry *zapcore.CheckedEntry, fields []zapcore.Field) {
	f(withError(entry.Message, fields))
	zapcore.WriteThenFatal.OnWrite(entry, fields)
}

// withError adds the errors in fields to a message.
func withError(message string, fields []zapcore.Field) string {
	for _, field := range fields {
		if err, ok := field.Interface.(error); ok {
			message += ": " + err.Error()
		}
	}
	return message
}

// logrCore is a zapcore.Core that writes to a logr.Logger.
type logrCore struct {
	log logr.Logger
}

func (c *logrCore) Enabled(level zapcore.Level) bool { return level >= zapcore.WarnLevel }

func (c *logrCore) With(fields []zapcore.Field) zapcore.Core {
	return &logrCore{log: c.log.WithValues(pairs(fields)...)}
}

func (c *logrCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

// young is the error of a member whose log has no entry yet. A new etcd always logs it once, and tries again.
const young = "cannot detect storage schema version: missing term information"

func (c *logrCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	if entry.Level >= zapcore.ErrorLevel && !strings.HasSuffix(withError(entry.Message, fields), young) {
		c.log.Error(nil, entry.Message, pairs(fields)...)
	} else {
		c.log.V(1).Info(entry.Message, pairs(fields)...)
	}
	return nil
}

func (c *logrCore) Sync() error { return nil }

func pairs(fields []zapcore.Field) []any {
	out := make([]any, 0, 2*len(fields))
	for _, field := range fields {
		encoder := zapcore.NewMapObjectEncoder()
		field.AddTo(encoder)
		for key, value := range encoder.Fields {
			out = append(out, key, value)
		}
	}
	return out
}
