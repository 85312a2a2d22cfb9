package verticalautoscaler

import "k8s.io/apimachinery/pkg/api/resource"

// quantity is a flag with an empty default.
type quantity struct{ *resource.QuantityValue }

func (q quantity) String() string {
	if q.QuantityValue == nil || q.IsZero() {
		return ""
	}
	return q.QuantityValue.String()
}
