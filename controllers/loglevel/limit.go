// Package loglevel applies the logLevel of a component's configuration.
package loglevel

import "github.com/go-logr/logr"

// Limit lets a component log less than its process does: error, info or debug.
func Limit(log logr.Logger, level string) logr.Logger {
	most := map[string]int{"error": -1, "info": 0}
	if limit, found := most[level]; found {
		return log.WithSink(limitedSink{log.GetSink(), limit})
	}
	return log
}

// limitedSink leaves out information above a level; errors always pass.
type limitedSink struct {
	logr.LogSink
	most int
}

// Enabled implements logr.LogSink.
func (s limitedSink) Enabled(level int) bool { return level <= s.most && s.LogSink.Enabled(level) }

// WithValues implements logr.LogSink.
func (s limitedSink) WithValues(pairs ...any) logr.LogSink {
	return limitedSink{s.LogSink.WithValues(pairs...), s.most}
}

// WithName implements logr.LogSink.
func (s limitedSink) WithName(name string) logr.LogSink {
	return limitedSink{s.LogSink.WithName(name), s.most}
}
