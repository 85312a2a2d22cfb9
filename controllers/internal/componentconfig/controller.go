package componentconfig

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

// ConcurrentController has a single setting: how many objects it handles at a time.
type ConcurrentController struct {
	ConcurrentSyncs *int `json:"concurrentSyncs,omitempty"`
}

// SetConcurrentController sets a field that is empty.
func SetConcurrentController(field **ConcurrentController, syncs int) {
	defaulting.Pointer(field, ConcurrentController{})
	defaulting.Pointer(&(*field).ConcurrentSyncs, syncs)
}

// ConditionThreshold is how long a condition may be Progressing before it turns False.
type ConditionThreshold struct {
	Type     string          `json:"type"`
	Duration metav1.Duration `json:"duration"`
}
