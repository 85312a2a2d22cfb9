// Package integration tests both API servers of a garden in one process, where requests are handed over.
package integration

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// eventTimeout is generous: the machine may be busy.
const eventTimeout = time.Minute

var garden *gardenapitest.Garden

func TestMain(m *testing.M) {
	limits := []string{
		"--enable-priority-and-fairness", fmt.Sprintf("--max-requests-inflight=%d", readingAtOnce), fmt.Sprintf("--max-mutating-requests-inflight=%d", mutatingAtOnce),
	}
	gardenapitest.Main(m, gardenapitest.Options{Process: true, Env: testenv.Options{APIServerArgs: limits}, GardenerArgs: limits}, func(g *gardenapitest.Garden) { garden = g })
}

func clientFor(t *testing.T, config *rest.Config) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	if err := rbacv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// warnings notes what an answer warns of.
type warnings struct{ texts []string }

func (w *warnings) HandleWarningHeader(_ int, _, text string) { w.texts = append(w.texts, text) }

func TestRequests(t *testing.T) {
	ctx, admin := t.Context(), clientFor(t, garden.Config)
	config, err := garden.ConfigFor("alice")
	if err != nil {
		t.Fatal(err)
	}
	alice := clientFor(t, config)
	quota := func(name string) *core.Quota {
		return &core.Quota{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
			Spec:       core.QuotaSpec{Scope: corev1.ObjectReference{APIVersion: "v1", Kind: "Secret"}, Metrics: corev1.ResourceList{}},
		}
	}

	t.Run("who has no right is refused", func(t *testing.T) {
		if err := alice.List(ctx, &core.QuotaList{}, client.InNamespace("default")); !apierrors.IsForbidden(err) {
			t.Errorf("list: %v", err)
		}
	})

	t.Run("who has a right may do that and no more, and is known by name", func(t *testing.T) {
		role := &rbacv1.Role{
			ObjectMeta: metav1.ObjectMeta{Name: "alice", Namespace: "default"},
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{core.GroupName}, Resources: []string{"quotas"}, Verbs: []string{"create", "get"}}},
		}
		binding := &rbacv1.RoleBinding{
			ObjectMeta: role.ObjectMeta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "alice"},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "alice"}},
		}
		for _, object := range []client.Object{role, binding} {
			if err := admin.Create(ctx, object); err != nil {
				t.Fatal(err)
			}
		}
		created := quota("hers")
		garden.Until(t, "rights take effect", func(ctx context.Context) error { return alice.Create(ctx, created) })
		if err := alice.Delete(ctx, created); !apierrors.IsForbidden(err) {
			t.Errorf("delete: %v", err)
		}
		impersonated := rest.CopyConfig(garden.Config)
		impersonated.Impersonate.UserName = "alice"
		if err := clientFor(t, impersonated).Delete(ctx, created); !apierrors.IsForbidden(err) {
			t.Errorf("an administrator as alice deletes: %v", err)
		}
	})

	t.Run("mistakes are told as the Gardener API server tells them", func(t *testing.T) {
		wrong := quota("wrong")
		wrong.Spec.Scope.Kind = "Pod"
		if err := admin.Create(ctx, wrong); !apierrors.IsInvalid(err) {
			t.Errorf("create: %v", err)
		}
	})

	t.Run("warnings come back", func(t *testing.T) {
		heard := &warnings{}
		config := rest.CopyConfig(garden.Config)
		config.WarningHandler = heard
		object := map[string]any{
			"apiVersion": core.SchemeGroupVersion.String(), "kind": "Quota", "metadata": map[string]any{"name": "warned", "namespace": "default"},
			"spec": map[string]any{"scope": map[string]any{"apiVersion": "v1", "kind": "Secret"}, "metrics": map[string]any{}, "unknown": true},
		}
		c := clientFor(t, config)
		if err := c.Create(ctx, unstructuredOf(object), client.FieldValidation(metav1.FieldValidationWarn)); err != nil {
			t.Fatal(err)
		}
		if len(heard.texts) == 0 {
			t.Error("no warning of the unknown field")
		}
	})

	t.Run("watches bring events and end with the client", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(ctx, eventTimeout)
		defer cancel()
		events, err := admin.Watch(ctx, &core.QuotaList{}, client.InNamespace("default"))
		if err != nil {
			t.Fatal(err)
		}
		defer events.Stop()
		if err := admin.Create(ctx, quota("watched")); err != nil {
			t.Fatal(err)
		}
		for {
			select {
			case event := <-events.ResultChan():
				if found, ok := event.Object.(*core.Quota); ok && event.Type == watch.Added && found.Name == "watched" {
					return
				}
			case <-ctx.Done():
				t.Fatal("no event came")
			}
		}
	})
}

func unstructuredOf(object map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object}
}
