package systemcomponents

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// about reports whether a taint describes the state of a node rather than its purpose.
func about(key string) bool {
	return strings.HasPrefix(key, "node.kubernetes.io/") || key == constants.TaintNodeCriticalComponentsNotReady ||
		key == "node.cloudprovider.kubernetes.io/uninitialized" || key == "ToBeDeletedByClusterAutoscaler"
}

// same compares tolerations without their duration.
func same(a, b corev1.Toleration) bool {
	operator := func(t corev1.Toleration) corev1.TolerationOperator {
		if t.Operator == "" {
			return corev1.TolerationOpEqual
		}
		return t.Operator
	}
	return a.Key == b.Key && operator(a) == operator(b) && a.Value == b.Value && a.Effect == b.Effect
}
