package app

import (
	"slices"
	"strings"

	"go.uber.org/zap/zapcore"
)

// quiet drops messages of libraries that are too loud: they are logged in good health, at a level for operators, and the
// library has no setting for them. It drops no message of this project: see noise. The level "debug" shows everything.
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
	return q.Core.Write(withName(entry, fields))
}

// withName moves the name of a logger from the fields to the entry: loggers that klog hands out have it as a field. A line would have two
// names otherwise, of which programs read the last one.
func withName(entry zapcore.Entry, fields []zapcore.Field) (zapcore.Entry, []zapcore.Field) {
	at := slices.IndexFunc(fields, func(field zapcore.Field) bool { return field.Key == "logger" && field.Type == zapcore.StringType })
	if at < 0 {
		return entry, fields
	}
	if entry.LoggerName != "" {
		entry.LoggerName += "."
	}
	entry.LoggerName += fields[at].String
	return entry, slices.Delete(slices.Clone(fields), at, at+1)
}

// kubernetes are the loggers that only code of k8s.io/kubernetes and its libraries writes to: that of klog, that of the
// kubelet, and those that its controllers and scheduler get. Our own errors never come from them: see TestNoErrorOfOursIsNoise.
var kubernetes = []string{"kubernetes", "node.kubelet", "garden-controllers", "seed-controllers", "seed-scheduler"}

// noise are entries that happen in good health. Fields that are not empty have to be contained in those of the entry. Rows
// without a message are for errors that a library wraps and logs in many places. The libraries have one level for all
// their errors, so that none of these can be switched off at its source. TestNoiseIsReviewed names the versions of the
// libraries that the table was last compared with.
var noise = []struct{ message, err string }{
	// The aggregator closes answers of its health checks unread, and clients end watches.
	{message: "Timeout or abort while handling"}, {message: "Post-timeout activity"},
	{message: "failed to sync with latest state: context canceled"},
	{message: "Unhandled Error", err: "http2: stream closed"}, {message: "Unhandled Error", err: "http: Handler timeout"},

	// A controller does not go on with a cache older than its own write, but tries again.
	{err: "is not as new as written version"},
	// The same where the write meets that of somebody else, such as the one who has changed the budget meanwhile.
	{message: "Error syncing PodDisruptionBudget, requeuing", err: "the object has been modified"},
	// The scheduler found no node; it says so in an event.
	{message: "Status after running PostFilter plugins for pod"},
	// A container waits for its next start, which the status of its pod and events tell.
	{message: "Error syncing pod, skipping", err: "CrashLoopBackOff"},

	// The first seconds: the node and the first namespaces are being made.
	{message: "Unable to register mirror pod because node is not registered yet"},
	{message: "Error updating node status, will retry", err: "not found"},
	{message: "Failed to get node when trying to set owner ref to the node lease", err: "not found"},
	{message: "Skipping pod synchronization"},
	// The kubelet asks for a pod, its secrets and its config maps before the authorizer has heard which node it is bound to, and asks
	// again. If that lasts, the second attempt to mount a volume of them shows: it waits for longer than the first.
	{err: "no relationship found between node"},
	{message: "failed to sync secret cache: timed out"}, {message: "failed to sync configmap cache: timed out"},
	{message: "(durationBeforeRetry 500ms)"},
	{err: `namespaces "kube-system" not found`},
	{message: "The manifest file is empty, ignoring."},
	{message: "Found stale data, removed previous endpoints on kubernetes service"},

	// After a restart: the aggregator remembers servers that are not there yet.
	{message: `service "gardener-apiserver" not found`},
	// And admission remembers policies whose parameters are of kinds that are not served yet; until then, it refuses what they match.
	{err: "encountered error syncing policies: failed to find resource referenced by paramKind"},

	// The last seconds: what stops is not there for what has not stopped yet.
	{err: "the node is stopping"}, {err: "the node has stopped"}, {err: "broadcaster already stopped"},
	{message: "Failed to get status for pod", err: "context canceled"},
}

// starts are messages that controller-runtime logs for each controller of this binary at level info. Reconcilers log at the
// same level, because a manager has one logger for both. The landscape logs once that a part is ready, by its name. The
// kubelet asks healthz of a pod from its start, and the status of the pod shows whether it is ready.
var starts = []string{"Starting EventSource", "Starting Controller", "Starting workers", "healthz check failed"}

func isNoise(entry zapcore.Entry, fields []zapcore.Field) bool {
	if entry.Level == zapcore.InfoLevel && slices.Contains(starts, entry.Message) {
		return true
	}
	if !slices.ContainsFunc(kubernetes, func(logger string) bool { return isBelow(entry.LoggerName, logger) }) {
		return false
	}
	text := errorText(fields)
	for _, n := range noise {
		if strings.Contains(entry.Message, n.message) && strings.Contains(text, n.err) {
			return true
		}
	}
	return false
}

// isBelow tells whether a logger is this one or has its name in front.
func isBelow(logger, parent string) bool {
	rest, ok := strings.CutPrefix(logger, parent)
	return ok && (rest == "" || rest[0] == '.')
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
