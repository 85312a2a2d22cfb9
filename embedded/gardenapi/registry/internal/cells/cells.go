// Package cells formats table cells for the columns of several kinds.
package cells

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Text of empty cells.
const (
	Pending     = "<pending>"
	Unknown     = "<unknown>"
	None        = "<none>"
	Unspecified = "<unspecified>"
	Never       = "<never>"
)

// String returns the value, or "" for nil.
func String(value *string) string { return ptr.Deref(value, "") }

// Condition returns the status of the condition of a type, or "".
func Condition(conditions []core.Condition, conditionType core.ConditionType) string {
	for _, condition := range conditions {
		if condition.Type == conditionType {
			return string(condition.Status)
		}
	}
	return ""
}

// Operation returns "Type State (N%)", or "" for nil.
func Operation(operation *core.LastOperation) string {
	if operation == nil {
		return ""
	}
	return fmt.Sprintf("%s %s (%d%%)", operation.Type, operation.State, operation.Progress)
}

// State returns the state of an operation, or "" for nil.
func State(operation *core.LastOperation) string {
	if operation == nil {
		return ""
	}
	return string(operation.State)
}

// Progress returns the progress of an operation in percent, or 0 for nil.
func Progress(operation *core.LastOperation) int32 {
	if operation == nil {
		return 0
	}
	return operation.Progress
}

// Selector returns a label selector in the syntax of kubectl, or "".
func Selector(selector *metav1.LabelSelector) string {
	if selector == nil || len(selector.MatchLabels)+len(selector.MatchExpressions) == 0 {
		return ""
	}
	return metav1.FormatLabelSelector(selector)
}

// Namespaced returns "namespace/name", or the name if there is no namespace.
func Namespaced(namespace, name string) string {
	return strings.TrimPrefix(namespace+"/"+name, "/")
}
