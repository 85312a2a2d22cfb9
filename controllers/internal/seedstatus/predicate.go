package seedstatus

import (
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// SpecOrCondition wakes the controller that owns the condition when the spec or that condition of a Seed has changed.
// The condition matters because the cache may be outdated: a finding that equals the outdated cache would not be
// written, although the garden has a different one.
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
