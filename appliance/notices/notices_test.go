package notices

import (
	"context"
	"errors"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/appliance/component"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

func TestNotices(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	other := gardencorev1beta1.Condition{Type: gardencorev1beta1.SeedGardenletReady, Status: gardencorev1beta1.ConditionTrue}
	seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "local", UID: "uid"}, Status: gardencorev1beta1.SeedStatus{Conditions: []gardencorev1beta1.Condition{other}}}
	garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(seed).WithStatusSubresource(seed).Build()
	serves := false
	n := New("local", []string{"etcd-garden", "etcd-seed"}, func() (client.Client, error) {
		if !serves {
			return nil, errors.New("the garden does not serve")
		}
		return garden, nil
	}, logr.Discard())
	told := func(t *testing.T) (events []string, condition gardencorev1beta1.Condition) {
		t.Helper()
		if err := n.tell(context.Background()); err != nil {
			t.Fatal(err)
		}
		list := &corev1.EventList{}
		if err := garden.List(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		for _, event := range list.Items {
			if event.InvolvedObject.UID != "uid" || event.Namespace != "default" {
				t.Errorf("event %+v", event)
			}
			events = append(events, event.Type+" "+event.Reason+" "+event.Message)
			if err := garden.Delete(t.Context(), &event); err != nil {
				t.Fatal(err)
			}
		}
		found := &gardencorev1beta1.Seed{}
		if err := garden.Get(t.Context(), client.ObjectKey{Name: "local"}, found); err != nil {
			t.Fatal(err)
		}
		for _, c := range found.Status.Conditions {
			if c.Type == StorageAvailable {
				condition = c
			}
		}
		if found.Status.Conditions[0].Type != other.Type {
			t.Errorf("conditions %+v", found.Status.Conditions)
		}
		return events, condition
	}
	etcd := func(name string, state component.State, message, warning string) {
		n.Observe(component.Status{Name: name, State: state, Message: message, Warning: warning})
	}

	etcd("etcd-garden", component.Ready, "", "")
	n.Observe(component.Status{Name: "dns", State: component.Degraded, Message: "boom"})
	n.Observe(component.Status{Name: "dns", State: component.Degraded, Message: "boom again"})
	if err := n.tell(t.Context()); err == nil {
		t.Error("notices without a garden are lost without a word")
	}
	serves = true
	events, condition := told(t)
	if diff := cmp.Diff([]string{"Warning PartDegraded dns: boom"}, events); diff != "" {
		t.Errorf("APP-10 an event waits for the garden, and is told once (-want +got):\n%s", diff)
	}
	if condition.Status != "" {
		t.Errorf("condition %+v before both etcds are ready", condition)
	}

	etcd("etcd-seed", component.Ready, "", "")
	n.Observe(component.Status{Name: "dns", State: component.Ready})
	events, condition = told(t)
	if diff := cmp.Diff([]string{"Normal PartServesAgain dns: the part serves again"}, events); diff != "" {
		t.Errorf("APP-10 events (-want +got):\n%s", diff)
	}
	if condition.Status != gardencorev1beta1.ConditionTrue {
		t.Errorf("condition %+v", condition)
	}

	etcd("etcd-garden", component.Ready, "", "60 % are used")
	events, condition = told(t)
	if diff := cmp.Diff([]string{"Warning PartNeedsAttention etcd-garden: 60 % are used"}, events); diff != "" {
		t.Errorf("APP-5 events (-want +got):\n%s", diff)
	}
	if condition.Status != gardencorev1beta1.ConditionProgressing || condition.Message != "etcd-garden: 60 % are used" {
		t.Errorf("condition %+v", condition)
	}

	etcd("etcd-garden", component.Degraded, "80 % are used", "")
	events, condition = told(t)
	if diff := cmp.Diff([]string{"Warning PartDegraded etcd-garden: 80 % are used"}, events); diff != "" {
		t.Errorf("APP-5 events (-want +got):\n%s", diff)
	}
	if condition.Status != gardencorev1beta1.ConditionFalse || condition.Message != "etcd-garden: 80 % are used" {
		t.Errorf("condition %+v", condition)
	}

	etcd("etcd-garden", component.Ready, "", "")
	if _, condition = told(t); condition.Status != gardencorev1beta1.ConditionTrue {
		t.Errorf("condition %+v", condition)
	}
	if events, _ = told(t); len(events) != 0 {
		t.Errorf("events without a change: %v", events)
	}
}
