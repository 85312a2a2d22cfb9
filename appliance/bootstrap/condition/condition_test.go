package condition

import (
	"strings"
	"testing"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

func TestJudge(t *testing.T) {
	garden := func(generation int64, state gardencorev1beta1.LastOperationState, health gardencorev1beta1.ConditionStatus) *operatorv1alpha1.Garden {
		g := &operatorv1alpha1.Garden{}
		g.Generation, g.Status.ObservedGeneration = generation, 1
		g.Status.LastOperation = &gardencorev1beta1.LastOperation{State: state, Progress: 40, Description: "waits for etcd"}
		if health != "" {
			g.Status.Conditions = []gardencorev1beta1.Condition{{Type: "VirtualComponentsHealthy", Status: health, Message: "etcd is gone"}}
		}
		return g
	}
	const done, running = gardencorev1beta1.LastOperationStateSucceeded, gardencorev1beta1.LastOperationStateProcessing
	for name, tc := range map[string]struct {
		state State
		doing string // empty: ready
	}{
		"no Garden":                               {State{}, "the cluster has no Garden"},
		"a Garden that nobody has seen":           {State{Garden: &operatorv1alpha1.Garden{}}, "has not seen the Garden"},
		"a Garden whose operator does not start":  {State{Garden: &operatorv1alpha1.Garden{}, Operator: "no image"}, "no image"},
		"a Garden that is reconciled":             {State{Garden: garden(1, running, "")}, "waits for etcd"},
		"a Garden with an error":                  {State{Garden: garden(1, gardencorev1beta1.LastOperationStateError, "True")}, "waits for etcd"},
		"a Garden that has changed since":         {State{Garden: garden(2, done, "True")}, "has not seen the change"},
		"a Garden whose health nobody has looked": {State{Garden: garden(1, done, "")}, "has not been checked"},
		"a Garden that is not healthy":            {State{Garden: garden(1, done, "False")}, "VirtualComponentsHealthy: etcd is gone"},
		"a Garden whose operator is gone":         {State{Garden: garden(1, done, "True"), Operator: "the operator has no replicas"}, "no replicas"},
		"a Garden that is ready":                  {State{Garden: garden(1, done, "True")}, ""},
	} {
		t.Run("APP-25 "+name, func(t *testing.T) {
			tc.state.judge()
			if tc.state.Ready != (tc.doing == "") || !strings.Contains(tc.state.Doing, tc.doing) {
				t.Errorf("ready %v, doing %q", tc.state.Ready, tc.state.Doing)
			}
		})
	}
}
