package lifecycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

var start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

func TestJudge(t *testing.T) {
	base := facts{created: start, phaseSince: start, creation: 20 * time.Minute, health: 10 * time.Minute, healthTimeoutExists: true}
	at := func(after time.Duration, phase machinev1alpha1.MachinePhase, unhealthy string, change ...func(*facts)) facts {
		f := base
		f.now, f.phase, f.unhealthy = start.Add(after), phase, unhealthy
		for _, fn := range change {
			fn(&f)
		}
		return f
	}
	gone := func(f *facts) { f.gone = true }
	const (
		pending = machinev1alpha1.MachinePending
		running = machinev1alpha1.MachineRunning
		unknown = machinev1alpha1.MachineUnknown
		failed  = machinev1alpha1.MachineFailed
	)
	for name, tc := range map[string]struct {
		facts     facts
		want      machinev1alpha1.MachinePhase // empty: nothing to say
		operation machinev1alpha1.MachineOperationType
		again     time.Duration
	}{
		"a pending machine waits for its node":               {facts: at(5*time.Minute, pending, "no node"), again: 15 * time.Minute},
		"a pending machine runs when its node is ready":      {facts: at(time.Minute, pending, ""), want: running, operation: "Create"},
		"a machine created after errors is pending again":    {facts: at(time.Minute, "CrashLoopBackOff", "no node"), want: pending, operation: "Create", again: 19 * time.Minute},
		"a pending machine fails after the creation timeout": {facts: at(20*time.Minute, pending, "no node"), want: failed, operation: "Create"},
		"a running machine is left alone":                    {facts: at(time.Hour, running, "")},
		"a running machine becomes unknown":                  {facts: at(time.Hour, running, "bad"), want: unknown, operation: "HealthCheck", again: statusPeriod},
		"a running machine that is gone fails at once":       {facts: at(time.Hour, running, "bad", gone), want: failed, operation: "HealthCheck"},
		"a gone machine with a healthy node is not believed": {facts: at(time.Hour, running, "", gone)},
		"an unknown machine is waited for":                   {facts: at(time.Minute, unknown, "bad"), again: statusPeriod},
		"an unknown machine recovers":                        {facts: at(time.Minute, unknown, ""), want: running, operation: "HealthCheck"},
		"an unknown machine fails after the health timeout":  {facts: at(10*time.Minute, unknown, "bad"), want: failed, operation: "HealthCheck"},
		"the timeout is not missed by the period":            {facts: at(10*time.Minute-time.Second, unknown, "bad"), again: time.Second},
		"without health timeout it never fails": {
			facts: at(24*time.Hour, unknown, "bad", func(f *facts) { f.healthTimeoutExists = false }), again: statusPeriod,
		},
		"a failed machine stays failed": {facts: at(time.Minute, failed, "")},
	} {
		t.Run(name, func(t *testing.T) {
			verdict, again := judge(tc.facts)
			if again != tc.again {
				t.Errorf("again after %s, want %s", again, tc.again)
			}
			if verdict == nil {
				if tc.want != "" {
					t.Errorf("nothing to say, want %s", tc.want)
				}
				return
			}
			if verdict.phase != tc.want || verdict.operation != tc.operation {
				t.Errorf("%s (%s), want %s (%s)", verdict.phase, verdict.operation, tc.want, tc.operation)
			}
		})
	}
}

func TestAilment(t *testing.T) {
	node := func(conditions ...corev1.NodeCondition) *corev1.Node {
		return &corev1.Node{Status: corev1.NodeStatus{Conditions: conditions}}
	}
	ready := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue}
	for name, tc := range map[string]struct {
		node *corev1.Node
		want string
	}{
		"a ready node is healthy":               {node(ready), ""},
		"no node":                               {nil, "there is no node"},
		"a node that never reported":            {node(), "not ready"},
		"a node that is not ready":              {node(corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Message: "no network"}), "not ready: no network"},
		"a node nobody hears from":              {node(corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}), "not ready:"},
		"a listed condition makes it unhealthy": {node(ready, corev1.NodeCondition{Type: "DiskPressure", Status: corev1.ConditionTrue}), "DiskPressure"},
		"another condition does not":            {node(ready, corev1.NodeCondition{Type: "PIDPressure", Status: corev1.ConditionTrue}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ailment(tc.node, []string{"DiskPressure"}); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestSettingsOf(t *testing.T) {
	defaults := Settings{Creation: 1, Health: 2, Drain: 3, NodeConditions: []string{"A"}}
	machine := &machinev1alpha1.Machine{}
	if got := settingsOf(machine, defaults); got.Creation != 1 || got.NodeConditions[0] != "A" {
		t.Errorf("a machine without own settings: %+v", got)
	}
	machine.Spec.MachineConfiguration = &machinev1alpha1.MachineConfiguration{
		MachineHealthTimeout: &metav1.Duration{Duration: 20}, NodeConditions: ptr.To("B,C"),
	}
	got := settingsOf(machine, defaults)
	if got.Creation != 1 || got.Health != 20 || len(got.NodeConditions) != 2 {
		t.Errorf("a machine with own settings: %+v", got)
	}
}
