package node

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/events"
)

// patient is an event recorder that drops uninteresting events: failed probes of containers that have just started
// and are probed often.
type patient struct {
	record.EventRecorderLogger
	readiness *readiness
}

func (p patient) expected(object runtime.Object, reason string) bool {
	reference, ok := object.(*corev1.ObjectReference)
	return ok && reason == events.ContainerUnhealthy && p.readiness.expects(string(reference.UID))
}

// Event reports news.
func (p patient) Event(object runtime.Object, kind, reason, message string) {
	if !p.expected(object, reason) {
		p.EventRecorderLogger.Event(object, kind, reason, message)
	}
}

// Eventf reports news.
func (p patient) Eventf(object runtime.Object, kind, reason, format string, args ...any) {
	if !p.expected(object, reason) {
		p.EventRecorderLogger.Eventf(object, kind, reason, format, args...)
	}
}

// AnnotatedEventf reports news.
func (p patient) AnnotatedEventf(object runtime.Object, annotations map[string]string, kind, reason, format string, args ...any) {
	if !p.expected(object, reason) {
		p.EventRecorderLogger.AnnotatedEventf(object, annotations, kind, reason, format, args...)
	}
}

// WithLogger returns a recorder that logs elsewhere.
func (p patient) WithLogger(logger klog.Logger) record.EventRecorderLogger {
	return patient{EventRecorderLogger: p.EventRecorderLogger.WithLogger(logger), readiness: p.readiness}
}
