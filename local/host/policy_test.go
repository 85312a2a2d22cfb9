package host_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/local/machine/container"
)

// A container of a machine has all rights on this machine, so an order is as good as root.
func TestOnlyTheMachineControllerOfAShootOrders(t *testing.T) {
	w := newWorld(t)
	order := func(namespace, machine, image string) *corev1.Secret {
		return container.Order{Namespace: namespace, Machine: machine, Class: "c", Node: machine, ProviderID: "p", Image: image, UserData: []byte("{}")}.Secret()
	}
	plain := func(name string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	}
	refused := func(what string, err error, want string) bool {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Logf("%s: error is %v", what, err)
			return false
		}
		return true
	}
	w.eventually("the policy is in force", func() (bool, any) {
		thief := order(namespace, "thief", "kindest/node:v1")
		err := w.client.Create(t.Context(), thief)
		if err == nil {
			thief.Finalizers = nil
			_ = w.client.Update(t.Context(), thief)
			_ = w.client.Delete(t.Context(), thief)
		}
		return refused("an administrator", err, "only the machine-controller-manager of a shoot orders its machines"), err
	})
	t.Run("another account of the shoot", func(t *testing.T) {
		if err := w.as(namespace, "default").Create(t.Context(), order(namespace, "thief", "kindest/node:v1")); !refused("create", err, "only the machine-controller-manager") {
			t.Error("it ordered a machine")
		}
	})
	t.Run("the machine controller of another shoot", func(t *testing.T) {
		if err := w.as("shoot--local--other", "machine-controller-manager").Create(t.Context(), order(namespace, "thief", "kindest/node:v1")); !refused("create", err, "only the machine-controller-manager") {
			t.Error("it ordered a machine")
		}
	})
	t.Run("an account of that name in a namespace of no shoot", func(t *testing.T) {
		if err := w.as("default", "machine-controller-manager").Create(t.Context(), order("default", "thief", "kindest/node:v1")); !refused("create", err, "namespaces of shoots only") {
			t.Error("it ordered a machine")
		}
	})
	t.Run("a Secret does not become an order", func(t *testing.T) {
		secret := plain("harmless")
		if err := w.client.Create(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		before := secret.DeepCopy()
		secret.Labels = map[string]string{container.Label: container.LabelValue}
		if err := w.client.Patch(t.Context(), secret, client.MergeFrom(before)); !refused("label", err, "only the machine-controller-manager") {
			t.Error("it became an order")
		}
	})
	t.Run("a machine has an image of the configuration", func(t *testing.T) {
		if err := w.as(namespace, "machine-controller-manager").Create(t.Context(), order(namespace, "odd", "evil/image:v1")); err != nil {
			t.Fatal(err)
		}
		w.eventually("the report tells", func() (bool, any) {
			report := w.report("odd")
			return strings.Contains(report.Message, "image evil/image:v1, which the configuration does not name") && report.ContainerID == "", report
		})
		if noted := w.inventory.list(); len(noted) > 0 {
			t.Errorf("inventory: %q", noted)
		}
	})
	t.Run("APP-19 an administrator changes no order that exists", func(t *testing.T) {
		ordered := order(namespace, "kept", "kindest/node:v1")
		if err := w.as(namespace, "machine-controller-manager").Create(t.Context(), ordered); err != nil {
			t.Fatal(err)
		}
		for what, change := range map[string]func(*corev1.Secret){
			"the image":               func(o *corev1.Secret) { o.Data["image"] = []byte("kindest/node:v2") },
			"what the machine runs":   func(o *corev1.Secret) { o.Data["userdata"] = []byte(`{"evil":true}`) },
			"that it may be changed":  func(o *corev1.Secret) { o.Immutable = nil },
			"that it is not an order": func(o *corev1.Secret) { o.Type = corev1.SecretTypeOpaque },
		} {
			latest := &corev1.Secret{}
			if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(ordered), latest); err != nil {
				t.Fatal(err)
			}
			before := latest.DeepCopy()
			change(latest)
			if err := w.client.Patch(t.Context(), latest, client.MergeFrom(before)); !apierrors.IsInvalid(err) {
				t.Errorf("%s: error is %v", what, err)
			}
		}
		if err := w.client.Delete(t.Context(), ordered); err != nil {
			t.Fatal(err)
		}
		w.eventually("the machine is gone", func() (bool, any) {
			err := w.client.Get(t.Context(), client.ObjectKeyFromObject(ordered), &corev1.Secret{})
			return apierrors.IsNotFound(err), err
		})
	})
}
