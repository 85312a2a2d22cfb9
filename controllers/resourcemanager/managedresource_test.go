package resourcemanager_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

func configMap(name, value string, annotations ...string) string {
	manifest := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n  namespace: other\n  annotations:\n    a: b\n"
	for _, annotation := range annotations {
		manifest += "    " + annotation + "\n"
	}
	return manifest + "data: {key: " + value + "}\n---\n"
}

func readConfigMap(ctx context.Context, name string) (*corev1.ConfigMap, error) {
	object := &corev1.ConfigMap{}
	return object, target.Get(ctx, client.ObjectKey{Namespace: "other", Name: name}, object)
}

func hasValue(name, value string) func(context.Context) error {
	return func(ctx context.Context) error {
		object, err := readConfigMap(ctx, name)
		if err == nil && object.Data["key"] != value {
			err = fmt.Errorf("data = %v, want %q", object.Data, value)
		}
		return err
	}
}

func isGone(object client.Object) func(context.Context) error {
	return func(ctx context.Context) error {
		err := target.Get(ctx, client.ObjectKeyFromObject(object), object)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, fmt.Errorf("%s still exists", object.GetName()))
	}
}

func patchData(t *testing.T, name, value string) {
	t.Helper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: name}}
	if err := target.Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(`{"data":{"key":"`+value+`"}}`))); err != nil {
		t.Fatal(err)
	}
}

func TestManagedResourceLifecycle(t *testing.T) {
	t.Parallel()
	r := create(t, "life", configMap("life-1", "x")+configMap("life-2", "v2"))
	r.waitApplied()

	t.Run("GRM-2 GRM-16 GRM-17 GRM-18 all objects are applied and reported", func(t *testing.T) {
		eventually(t, "first", hasValue("life-1", "x"))
		eventually(t, "second", hasValue("life-2", "v2"))
		r.waitFor("ResourcesHealthy", "True", "ResourcesHealthy")
		r.waitFor("ResourcesProgressing", "False", "ResourcesRolledOut")
		resource, err := r.get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, ref := range resource.Status.Resources {
			names = append(names, ref.Kind+"/"+ref.Namespace+"/"+ref.Name)
		}
		if diff := cmp.Diff([]string{"ConfigMap/other/life-1", "ConfigMap/other/life-2"}, names); diff != "" {
			t.Errorf("status.resources (-want +got):\n%s", diff)
		}
	})
	t.Run("GRM-19 GRM-21 objects tell where they come from", func(t *testing.T) {
		object, err := readConfigMap(t.Context(), "life-1")
		if err != nil {
			t.Fatal(err)
		}
		if got := object.Annotations["resources.gardener.cloud/origin"]; got != "test:"+namespace+"/life" {
			t.Errorf("origin = %q", got)
		}
		if got := object.Labels["resources.gardener.cloud/managed-by"]; got != "gardener" {
			t.Errorf("managed-by = %q", got)
		}
	})
	t.Run("GRM-3 manual changes are reverted", func(t *testing.T) {
		patchData(t, "life-1", "changed")
		eventually(t, "reverted", hasValue("life-1", "x"))
	})
	t.Run("GRM-4 objects removed from the secret are deleted, also dropped fields", func(t *testing.T) {
		r.setContent(configMap("life-1", "x, more: z"))
		eventually(t, "gone", isGone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "life-2"}}))
		eventually(t, "field there", func(ctx context.Context) error {
			object, err := readConfigMap(ctx, "life-1")
			if err == nil && object.Data["more"] != "z" {
				err = fmt.Errorf("data = %v", object.Data)
			}
			return err
		})
		r.setContent(configMap("life-1", "x"))
		eventually(t, "field gone", func(ctx context.Context) error {
			object, err := readConfigMap(ctx, "life-1")
			if err == nil && len(object.Data) != 1 {
				err = fmt.Errorf("data = %v", object.Data)
			}
			return err
		})
	})
	t.Run("GRM-6 the secret is protected", func(t *testing.T) {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "life"}}
		if err := target.Delete(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		if err := target.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil || secret.DeletionTimestamp == nil {
			t.Errorf("secret after deletion: %v, %v", secret.DeletionTimestamp, err)
		}
	})
	t.Run("GRM-4 deletion takes objects and secret along and waits for them", func(t *testing.T) {
		finalize := func(patch string) {
			object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "life-1"}}
			if err := target.Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
				t.Fatal(err)
			}
		}
		finalize(`{"metadata":{"finalizers":["example.com/wait"]}}`)
		resource, err := r.get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := target.Delete(t.Context(), resource); err != nil {
			t.Fatal(err)
		}
		r.waitFor("ResourcesApplied", "Progressing", "DeletionPending")
		finalize(`{"metadata":{"finalizers":null}}`)
		eventually(t, "managed resource", isGone(resource))
		eventually(t, "object", isGone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "life-1"}}))
		eventually(t, "secret", isGone(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "life"}}))
	})
}

func TestManagedResourceModes(t *testing.T) {
	t.Parallel()
	t.Run("GRM-7 an ignored one is left alone until it is deleted", func(t *testing.T) {
		t.Parallel()
		r := create(t, "ignored", configMap("ignored", "x"))
		r.waitApplied()
		resource, _ := r.get(t.Context())
		if err := target.Patch(t.Context(), resource, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"resources.gardener.cloud/ignore":"true"}}}`))); err != nil {
			t.Fatal(err)
		}
		r.waitFor("ResourcesHealthy", "True", "ManagedResourceIgnored")
		patchData(t, "ignored", "mine")
		always(t, "kept", hasValue("ignored", "mine"))
		if err := target.Delete(t.Context(), resource); err != nil {
			t.Fatal(err)
		}
		eventually(t, "object", isGone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "ignored"}}))
	})
	t.Run("GRM-8 an object in mode Ignore can move to another ManagedResource", func(t *testing.T) {
		t.Parallel()
		from := create(t, "from", configMap("moving", "x"))
		from.waitApplied()
		from.setContent(configMap("moving", "x", "resources.gardener.cloud/mode: Ignore"))
		eventually(t, "no longer listed", func(ctx context.Context) error {
			resource, err := from.get(ctx)
			if err == nil && len(resource.Status.Resources) > 0 {
				err = fmt.Errorf("status.resources = %v", resource.Status.Resources)
			}
			return err
		})
		create(t, "to", configMap("moving", "v2")).waitApplied()
		from.setContent(configMap("something-else", "x"))
		from.waitApplied()
		always(t, "still there", hasValue("moving", "v2"))
	})
	t.Run("GRM-10 an object to ignore is created once", func(t *testing.T) {
		t.Parallel()
		r := create(t, "once", configMap("once", "x", `resources.gardener.cloud/ignore: "true"`))
		r.waitApplied()
		patchData(t, "once", "mine")
		r.setContent(configMap("once", "z", `resources.gardener.cloud/ignore: "true"`))
		always(t, "kept", hasValue("once", "mine"))
	})
	t.Run("GRM-4 kept objects survive without our marks", func(t *testing.T) {
		t.Parallel()
		r := create(t, "keep", configMap("keep", "x"), func(resource *resourcesv1alpha1.ManagedResource) { resource.Spec.KeepObjects = ptr.To(true) })
		r.waitApplied()
		resource, _ := r.get(t.Context())
		if err := target.Delete(t.Context(), resource); err != nil {
			t.Fatal(err)
		}
		eventually(t, "managed resource", isGone(resource))
		object, err := readConfigMap(t.Context(), "keep")
		if err != nil || object.Annotations["resources.gardener.cloud/origin"] != "" {
			t.Errorf("object after deletion: %v, %v", object.Annotations, err)
		}
	})
	t.Run("GRM-15 another class is not touched", func(t *testing.T) {
		t.Parallel()
		create(t, "foreign", configMap("foreign", "x"), func(resource *resourcesv1alpha1.ManagedResource) { resource.Spec.Class = ptr.To("foo") })
		always(t, "absent", isGone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "foreign"}}))
	})
	t.Run("forceOverwriteLabels removes labels of others", func(t *testing.T) {
		t.Parallel()
		r := create(t, "force", configMap("force", "x"), func(resource *resourcesv1alpha1.ManagedResource) {
			resource.Spec.ForceOverwriteLabels = ptr.To(true)
		})
		r.waitApplied()
		object, _ := readConfigMap(t.Context(), "force")
		if err := target.Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"mine":"x"},"annotations":{"mine":"x"}}}`))); err != nil {
			t.Fatal(err)
		}
		eventually(t, "label gone, annotation kept", func(ctx context.Context) error {
			object, err := readConfigMap(ctx, "force")
			if err == nil && (object.Labels["mine"] != "" || object.Annotations["mine"] == "") {
				err = fmt.Errorf("labels %v, annotations %v", object.Labels, object.Annotations)
			}
			return err
		})
	})
	t.Run("an immutable object is replaced with delete-on-invalid-update", func(t *testing.T) {
		t.Parallel()
		content := func(value string) string {
			return "apiVersion: v1\nkind: ConfigMap\nimmutable: true\ndata: {key: " + value + "}\nmetadata:\n  name: replace\n  namespace: other\n" +
				"  annotations: {resources.gardener.cloud/delete-on-invalid-update: \"true\"}\n"
		}
		r := create(t, "replace", content("x"))
		r.waitApplied()
		r.setContent(content("v2"))
		eventually(t, "replaced", hasValue("replace", "v2"))
	})
}

func TestManagedResourceFailures(t *testing.T) {
	t.Parallel()
	t.Run("GRM-16 an unknown kind", func(t *testing.T) {
		t.Parallel()
		r := create(t, "unknown", "apiVersion: example.com/v1\nkind: Nothing\nmetadata: {name: x}\n---\n"+configMap("beside-unknown", "x"))
		eventually(t, "failed", failed(r, "ApplyFailed"))
		eventually(t, "its neighbour is applied", hasValue("beside-unknown", "x"))
	})
	t.Run("GRM-16 an invalid object heals with its secret", func(t *testing.T) {
		t.Parallel()
		r := create(t, "invalid", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: invalid, namespace: other, labels: {a: '-'}}")
		eventually(t, "failed", failed(r, "ApplyFailed"))
		r.setContent(configMap("invalid", "x"))
		r.waitApplied()
	})
	t.Run("GRM-16 a secret that is not YAML", func(t *testing.T) {
		t.Parallel()
		eventually(t, "failed", failed(create(t, "garbage", "a: b: c"), "DecodingFailed"))
	})
	t.Run("a missing secret", func(t *testing.T) {
		t.Parallel()
		eventually(t, "failed", failed(create(t, "nosecret", "", func(resource *resourcesv1alpha1.ManagedResource) {
			resource.Spec.SecretRefs[0].Name = "absent"
		}), "CannotReadSecret"))
	})
	t.Run("a kind and its objects in one ManagedResource", func(t *testing.T) {
		t.Parallel()
		create(t, "kinds", `
apiVersion: example.org/v1
kind: Widget
metadata: {name: first, namespace: other}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`).waitApplied()
		widget := &unstructured.Unstructured{}
		widget.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Widget"})
		if err := target.Get(t.Context(), client.ObjectKey{Namespace: "other", Name: "first"}, widget); err != nil {
			t.Error(err)
		}
	})
}

func failed(r managedResource, reason string) func(context.Context) error {
	return func(ctx context.Context) error {
		resource, err := r.get(ctx)
		if err != nil {
			return err
		}
		for _, c := range resource.Status.Conditions {
			if c.Type == resourcesv1alpha1.ResourcesApplied && c.Status == "False" && c.Reason == reason {
				return nil
			}
		}
		return fmt.Errorf("conditions: %+v", resource.Status.Conditions)
	}
}
