package app

import (
	"strings"

	"go.uber.org/zap/zapcore"
)

// quiet leaves out what servers of other projects tell at a level that is too high for an operator. The level "debug"
// shows it.
type quiet struct{ zapcore.Core }

// With implements zapcore.Core.
func (q quiet) With(fields []zapcore.Field) zapcore.Core { return quiet{q.Core.With(fields)} }

// Check implements zapcore.Core. Errors of an entry are known to Write only.
func (q quiet) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if !q.Enabled(entry.Level) {
		return checked
	}
	return checked.AddCore(entry, q)
}

// Write implements zapcore.Core.
func (q quiet) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	if isNoise(entry, fields) {
		return nil
	}
	return q.Core.Write(entry, fields)
}

// talkative are the loggers whose information is for developers of what they belong to.
var talkative = map[string]bool{
	"garden-controllers": true, "seed-controllers": true, "seed-scheduler": true, "etcd-main": true, "etcd-events": true,
}

// noise are entries that happen in good health: all non-empty fields have to be contained in what they are named for.
var noise = []struct{ message, err string }{
	// Controllers of this binary begin; that parts are ready is told once, by name.
	{message: "Starting EventSource"}, {message: "Starting Controller"}, {message: "Starting workers"},

	// The aggregator closes answers of its health checks unread, and clients end watches.
	{message: "Timeout or abort while handling"}, {message: "Post-timeout activity"},
	{message: "Unhandled Error", err: "http2: stream closed"}, {message: "Unhandled Error", err: "http: Handler timeout"},

	// A controller does not go on with a cache older than its own write, but tries again.
	{err: "is not as new as written version"},
	// The scheduler found no node; it says so in an event.
	{message: "Status after running PostFilter plugins for pod"},

	// A task of the node is asked from its first moment whether it is ready, which its pod tells.
	{message: "healthz check failed"},
	// A container waits for its next start, which the status of its pod and events tell.
	{message: "Error syncing pod, skipping", err: "CrashLoopBackOff"},

	// The first seconds: the node and the first namespaces are being made.
	{message: "Unable to register mirror pod because node is not registered yet"},
	{message: "Error updating node status, will retry", err: "not found"},
	{message: "Skipping pod synchronization"},
	{err: `namespaces "kube-system" not found`},
	{message: "The manifest file is empty, ignoring."},
	{message: "Found stale data, removed previous endpoints on kubernetes service"},

	// After a restart: the aggregator remembers servers that are not there yet.
	{message: `service "gardener-apiserver" not found`}, {err: "failed to retrieve openAPI spec, http error: ResponseCode: 503"},

	// The last seconds: what stops is not there for what has not stopped yet.
	{err: "the node is stopping"}, {err: "the node has stopped"}, {err: "broadcaster already stopped"},
	{message: "setting up serving from embedded etcd failed", err: "closed"},
	{message: "Failed to get status for pod", err: "context canceled"},
}

func isNoise(entry zapcore.Entry, fields []zapcore.Field) bool {
	logger, _, _ := strings.Cut(entry.LoggerName, ".")
	if entry.Level == zapcore.InfoLevel && talkative[logger] {
		return true
	}
	text := errorText(fields)
	for _, n := range noise {
		if strings.Contains(entry.Message, n.message) && strings.Contains(text, n.err) {
			return true
		}
	}
	return false
}

// errorText is the error of an entry, which loggers of Kubernetes give as one or as text.
func errorText(fields []zapcore.Field) string {
	for _, field := range fields {
		if field.Key != "error" && field.Key != "err" {
			continue
		}
		if err, ok := field.Interface.(error); ok {
			return err.Error()
		}
		return field.String
	}
	return ""
}
