package nodeagent_test

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/operatingsystemconfig"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// offer writes the Secret of a pool whose machines are updated in place.
func offer(t *testing.T, admin kubernetes.Interface, kubelet, file string) {
	t.Helper()
	osc := &extensionsv1alpha1.OperatingSystemConfig{}
	osc.Spec.InPlaceUpdates = &extensionsv1alpha1.InPlaceUpdates{KubeletVersion: kubelet, OperatingSystemVersion: "1.0.0"}
	osc.Spec.Files = []extensionsv1alpha1.File{{Path: "/etc/x", Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Data: file}}}}
	secret, err := operatingsystemconfig.AgentSecret("pool", pool, osc, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := admin.CoreV1().Secrets("kube-system").Update(t.Context(), secret, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// say writes how far the update of the node is, and removes the last result.
func say(t *testing.T, admin kubernetes.Interface, name, reason string, at time.Time) {
	t.Helper()
	node, err := admin.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	delete(node.Labels, machinev1alpha1.UpdateResultLabel)
	if node, err = admin.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	node.Status.Conditions = []corev1.NodeCondition{{Type: machinev1alpha1.NodeInPlaceUpdate, Status: corev1.ConditionTrue, Reason: reason, LastTransitionTime: metav1.NewTime(at)}}
	if _, err := admin.CoreV1().Nodes().UpdateStatus(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestInPlaceUpdate(t *testing.T) {
	m := &machine{}
	agent, admin := newAgent(t, m)
	result := func() string {
		t.Helper()
		node, err := admin.CoreV1().Nodes().Get(t.Context(), agent.NodeName, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return node.Labels[machinev1alpha1.UpdateResultLabel]
	}
	expect := func(t *testing.T, applied int, file, want string) {
		t.Helper()
		if got := m.applied[len(m.applied)-1].Files[0].Content.Inline.Data; m.count() != applied || got != file || result() != want {
			t.Errorf("applied %d times, last %q, result %q; want %d times, %q, %q", m.count(), got, result(), applied, file, want)
		}
	}
	offer(t, admin, "1.35.1", "one")
	look(t, agent)
	t.Run("API-16 a new machine applies what there is", func(t *testing.T) { expect(t, 1, "one", "") })

	offer(t, admin, "1.35.2", "two")
	look(t, agent)
	t.Run("API-16 what needs no drained node is applied at once", func(t *testing.T) { expect(t, 2, "two", "") })

	offer(t, admin, "1.36.1", "three")
	look(t, agent)
	t.Run("API-16 a minor version waits", func(t *testing.T) { expect(t, 2, "two", "") })

	say(t, admin, agent.NodeName, machinev1alpha1.ReasonSelectedForUpdate, time.Now())
	look(t, agent)
	t.Run("API-16 it waits while the node is drained", func(t *testing.T) { expect(t, 2, "two", "") })

	say(t, admin, agent.NodeName, machinev1alpha1.ReasonReadyForUpdate, time.Now())
	m.err = errBoom
	if _, err := agent.Look(t.Context()); !errors.Is(err, errBoom) {
		t.Errorf("error is %v", err)
	}
	t.Run("API-16 a failure is reported", func(t *testing.T) { expect(t, 2, "two", machinev1alpha1.UpdateFailed) })
	m.err = nil
	look(t, agent)
	t.Run("API-16 it is not tried again before a person wants it", func(t *testing.T) { expect(t, 2, "two", machinev1alpha1.UpdateFailed) })

	say(t, admin, agent.NodeName, machinev1alpha1.ReasonReadyForUpdate, time.Now())
	look(t, agent)
	t.Run("API-16 then it is applied and reported", func(t *testing.T) { expect(t, 3, "three", machinev1alpha1.UpdateSuccessful) })

	now := time.Now()
	say(t, admin, agent.NodeName, machinev1alpha1.ReasonReadyForUpdate, now)
	look(t, agent)
	t.Run("API-16 an update without a newer configuration waits for one", func(t *testing.T) { expect(t, 3, "three", "") })
	agent.Clock = clocktesting.NewFakeClock(now.Add(time.Minute))
	look(t, agent)
	t.Run("API-16 but not for ever", func(t *testing.T) { expect(t, 3, "three", machinev1alpha1.UpdateSuccessful) })
	agent.Clock = clock.RealClock{}
}
