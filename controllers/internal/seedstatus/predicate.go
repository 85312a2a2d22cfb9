package seedstatus

import (
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// SpecOrCondition wakes the controller that owns the condition of Seeds when their specification or that condition has
// changed. Without the latter a finding would be lost that equals what a cache still shows while the garden already has
// the finding before it.
func SpecOrCondition(kind gardencorev1beta1.ConditionType) predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, isSeed := e.ObjectOld.(*gardencorev1beta1.Seed)
		after, stillSeed := e.ObjectNew.(*gardencorev1beta1.Seed)
		if !isSeed || !stillSeed {
			return false
		}
		return before.Generation != after.Generation ||
			!equality.Semantic.DeepEqual(conditions.Get(before.Status.Conditions, kind), conditions.Get(after.Status.Conditions, kind))
	}}
}
