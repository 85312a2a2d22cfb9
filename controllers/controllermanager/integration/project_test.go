package integration

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestProject(t *testing.T) {
	t.Parallel()
	p, name := newProject(t, "one")
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}

	t.Run("GCM-2 GCM-7 a namespace is created and named in the project", func(t *testing.T) {
		if _, err := get(t.Context(), namespace); err != nil || namespace.Labels["project.gardener.cloud/name"] != "one" {
			t.Errorf("labels %v, %v", namespace.Labels, err)
		}
	})
	t.Run("GCM-7 a project is ready and an event says so", func(t *testing.T) {
		eventually(t, "ready", inPhase(p, gardencorev1beta1.ProjectReady))
		eventually(t, "event", hasEvent(p.Name, corev1.EventTypeNormal, "NamespaceReconcileSuccessful"))
	})
	t.Run("GCM-4 members get their rights", func(t *testing.T) {
		merge(t, p, `{"spec":{"members":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"victor","role":"viewer","roles":["extension:watch"]}]}}`)
		viewers := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "gardener.cloud:system:project-viewer:one"}}
		eventually(t, "viewer is bound", func(ctx context.Context) error {
			if _, err := get(ctx, viewers); err != nil {
				return err
			}
			if len(viewers.Subjects) != 1 || viewers.Subjects[0].Name != "victor" {
				return fmt.Errorf("subjects %v", viewers.Subjects)
			}
			return nil
		})
	})
	t.Run("extension roles without members are removed", func(t *testing.T) {
		role := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: "gardener.cloud:extension:project:one:watch"}}
		eventually(t, "role exists", exists(role))
		merge(t, p, `{"spec":{"members":[]}}`)
		eventually(t, "role is gone", isGone(role))
	})
	t.Run("a removed label is restored", func(t *testing.T) {
		merge(t, namespace, `{"metadata":{"labels":{"gardener.cloud/role":null}}}`)
		eventually(t, "label", func(ctx context.Context) error {
			if _, err := get(ctx, namespace); err != nil || namespace.Labels["gardener.cloud/role"] != "project" {
				return fmt.Errorf("labels %v, %v", namespace.Labels, err)
			}
			return nil
		})
	})
	t.Run("GCM-8 deletion takes namespace and rights along", func(t *testing.T) {
		remove(t, p)
		eventually(t, "namespace is terminating", func(ctx context.Context) error {
			if _, err := get(ctx, namespace); err != nil || namespace.DeletionTimestamp == nil {
				return fmt.Errorf("namespace is not being deleted (%v)", err)
			}
			return nil
		})
		if err := inPhase(p, gardencorev1beta1.ProjectTerminating)(t.Context()); err != nil {
			eventually(t, "phase", inPhase(p, gardencorev1beta1.ProjectTerminating))
		}
		namespace.Spec.Finalizers = nil // no namespace controller runs here
		if err := garden.SubResource("finalize").Update(t.Context(), namespace); err != nil {
			t.Fatal(err)
		}
		eventually(t, "project", isGone(p))
		eventually(t, "role", isGone(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "gardener.cloud:system:project:one"}}))
	})
}

func TestProjectWithExistingNamespace(t *testing.T) {
	t.Parallel()
	namespace := create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "garden-two"}})
	p := create(t, &gardencorev1beta1.Project{
		ObjectMeta: metav1.ObjectMeta{Name: "two"}, Spec: gardencorev1beta1.ProjectSpec{Namespace: ptr.To("garden-two")},
	})
	t.Run("GCM-3 GCM-7 one without labels is refused", func(t *testing.T) {
		eventually(t, "failed", inPhase(p, gardencorev1beta1.ProjectFailed))
		eventually(t, "event", hasEvent(p.Name, corev1.EventTypeWarning, "NamespaceReconcileFailed"))
	})
	t.Run("GCM-3 with labels it is adopted", func(t *testing.T) {
		merge(t, namespace, `{"metadata":{"labels":{"gardener.cloud/role":"project","project.gardener.cloud/name":"two"}}}`)
		eventually(t, "ready", inPhase(p, gardencorev1beta1.ProjectReady))
	})
	t.Run("GCM-8 an adopted namespace survives the project", func(t *testing.T) {
		remove(t, p)
		eventually(t, "project", isGone(p))
		if _, err := get(t.Context(), namespace); err != nil || namespace.DeletionTimestamp != nil || len(namespace.OwnerReferences) > 0 {
			t.Errorf("namespace %+v, %v", namespace.ObjectMeta, err)
		}
	})
}

func TestProjectWithShoots(t *testing.T) {
	t.Parallel()
	p, name := newProject(t, "three")
	create(t, newCloudProfile("three", "three"))
	binding(t, name)
	shoot := create(t, newShoot("s", name, "three", "three"))
	remove(t, p)
	t.Run("GCM-7 GCM-8 a project with shoots waits and says so", func(t *testing.T) {
		eventually(t, "terminating", inPhase(p, gardencorev1beta1.ProjectTerminating))
		eventually(t, "event", hasEvent(p.Name, corev1.EventTypeWarning, "NamespaceNotEmpty"))
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := get(t.Context(), namespace); err != nil || namespace.DeletionTimestamp != nil {
			t.Errorf("namespace is being deleted (%v)", err)
		}
	})
	t.Run("GCM-8 the last shoot lets it go", func(t *testing.T) {
		remove(t, shoot)
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		eventually(t, "namespace is terminating", func(ctx context.Context) error {
			if _, err := get(ctx, namespace); err != nil || namespace.DeletionTimestamp == nil {
				return fmt.Errorf("namespace is not being deleted (%v)", err)
			}
			return nil
		})
	})
}

// hasEvent looks for an event of a project, as kubectl describe does.
func hasEvent(project, kind, reason string) func(context.Context) error {
	return func(ctx context.Context) error {
		events := &corev1.EventList{}
		if err := garden.List(ctx, events, client.MatchingFields{"involvedObject.kind": "Project", "involvedObject.name": project}); err != nil {
			return err
		}
		var reasons []string
		for _, event := range events.Items {
			if event.Type == kind && event.Reason == reason {
				return nil
			}
			reasons = append(reasons, event.Type+" "+event.Reason)
		}
		return fmt.Errorf("no event %s %s, but %q", kind, reason, reasons)
	}
}

// binding creates the credentials that shoots of a namespace refer to.
func binding(t *testing.T, namespace string, quotas ...corev1.ObjectReference) *gardencorev1beta1.SecretBinding {
	t.Helper()
	create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "local"}})
	return create(t, &gardencorev1beta1.SecretBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "local"},
		Provider:   &gardencorev1beta1.SecretBindingProvider{Type: "local"},
		SecretRef:  corev1.SecretReference{Namespace: namespace, Name: "local"},
		Quotas:     quotas,
	})
}
