package resourcemanager_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

func TestCompressedSecret(t *testing.T) {
	t.Parallel()
	t.Run("GRM-2 compressed objects are applied", func(t *testing.T) {
		compressed, err := manifest.Compress([]byte(configMap("compressed", "x")))
		if err != nil {
			t.Fatal(err)
		}
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "compressed"}, Data: map[string][]byte{"data.yaml.br": compressed}}
		mr := &resourcesv1alpha1.ManagedResource{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "compressed"},
			Spec:       resourcesv1alpha1.ManagedResourceSpec{SecretRefs: []corev1.LocalObjectReference{{Name: "compressed"}}},
		}
		for _, object := range []client.Object{secret, mr} {
			if err := target.Create(t.Context(), object); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, "applied", hasValue("compressed", "x"))
	})
}

func TestDriftIsRepairedSoon(t *testing.T) {
	t.Parallel()
	r := create(t, "drift", configMap("drift", "x"))
	r.waitFor("ResourcesHealthy", "True", "ResourcesHealthy")
	for name, drift := range map[string]func(){
		"GRM-3 a changed value": func() { patchData(t, "drift", "changed") },
		"GRM-3 a removed mark": func() {
			object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "drift"}}
			if err := target.Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(`{"data":{"key":"y"},"metadata":{"labels":null,"annotations":null}}`))); err != nil {
				t.Fatal(err)
			}
		},
		"GRM-3 a deleted object": func() {
			if err := target.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "drift"}}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			drift()
			begin := time.Now()
			eventually(t, "repaired", func(ctx context.Context) error {
				object, err := readConfigMap(ctx, "drift")
				if err == nil && (object.Data["key"] != "x" || object.Labels["resources.gardener.cloud/managed-by"] != "gardener") {
					err = fmt.Errorf("object = %v %v", object.Data, object.Labels)
				}
				return err
			})
			t.Logf("repaired after %s", time.Since(begin).Round(time.Millisecond))
		})
	}
}

func TestAutoscaledWorkload(t *testing.T) {
	t.Parallel()
	const content = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: scaled, namespace: other}
spec:
  replicas: 1
  selector: {matchLabels: {app: scaled}}
  template: {metadata: {labels: {app: scaled}}, spec: {containers: [{name: web, image: nginx, resources: {requests: {cpu: 1m}}}]}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: scaled, namespace: other}
spec: {minReplicas: 1, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: scaled}}
`
	r := create(t, "scaled", content)
	r.waitApplied()
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "scaled"}}
	patch := `{"spec":{"replicas":5,"template":{"spec":{"containers":[{"name":"web","image":"nginx","resources":{"requests":{"cpu":"9m"}}}]}}}}`
	if err := target.Patch(t.Context(), deployment, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		t.Fatal(err)
	}
	t.Run("GRM-13 replicas are the autoscaler's, resources are not", func(t *testing.T) {
		eventually(t, "resources are reset", func(ctx context.Context) error {
			if err := target.Get(ctx, client.ObjectKeyFromObject(deployment), deployment); err != nil {
				return err
			}
			if cpu := deployment.Spec.Template.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU]; cpu.Cmp(resource.MustParse("1m")) != 0 {
				return fmt.Errorf("cpu = %s", cpu.String())
			}
			return nil
		})
		if *deployment.Spec.Replicas != 5 {
			t.Errorf("replicas = %d, want 5", *deployment.Spec.Replicas)
		}
	})
}

func TestDeletionOfWhatStays(t *testing.T) {
	t.Parallel()
	t.Run("an overdue object is finalized", func(t *testing.T) {
		r := create(t, "overdue", configMap("overdue", "x", "resources.gardener.cloud/finalize-deletion-after: 1s"))
		r.waitApplied()
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "overdue"}}
		if err := target.Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":["example.com/never"]}}`))); err != nil {
			t.Fatal(err)
		}
		r.setContent(configMap("overdue-not", "x"))
		eventually(t, "gone", isGone(object))
	})
	t.Run("deletePersistentVolumeClaims takes claims of templates only", func(t *testing.T) {
		r := create(t, "claims", `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: other}
spec:
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: nginx}]}}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
`, func(mr *resourcesv1alpha1.ManagedResource) { mr.Spec.DeletePersistentVolumeClaims = ptr.To(true) })
		claims := map[string]*corev1.PersistentVolumeClaim{}
		for _, name := range []string{"data-db-0", "data-db-main"} {
			claims[name] = &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: name}, Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
			}}
			if err := target.Create(t.Context(), claims[name]); err != nil {
				t.Fatal(err)
			}
		}
		r.waitApplied()
		r.setContent(configMap("claims", "x"))
		eventually(t, "set", isGone(&appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "db"}}))
		for name, deleted := range map[string]bool{"data-db-0": true, "data-db-main": false} {
			err := target.Get(t.Context(), client.ObjectKeyFromObject(claims[name]), claims[name])
			if got := err != nil || claims[name].DeletionTimestamp != nil; got != deleted {
				t.Errorf("%s is deleted: %v, want %v", name, got, deleted)
			}
		}
	})
}

func TestServiceAccountGoesWithItsSecret(t *testing.T) {
	t.Parallel()
	request := func(name string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, Labels: map[string]string{"resources.gardener.cloud/purpose": "token-requestor"},
			Annotations: map[string]string{
				"serviceaccount.resources.gardener.cloud/name": "leaving", "serviceaccount.resources.gardener.cloud/namespace": "other",
				"serviceaccount.resources.gardener.cloud/labels": `{"a":"b"}`,
			},
		}}
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "leaving"}}
	exists := func(ctx context.Context) error {
		err := target.Get(ctx, client.ObjectKeyFromObject(account), account)
		if err == nil && (account.Labels["a"] != "b" || ptr.Deref(account.AutomountServiceAccountToken, true)) {
			err = errors.New("account has no labels, or mounts tokens")
		}
		return err
	}
	first, second := request("leaving-1"), request("leaving-2")
	if err := target.Create(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	eventually(t, "GRM-27 account", exists)
	if err := target.Create(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	t.Run("GRM-31 the account stays while another Secret uses it", func(t *testing.T) {
		eventually(t, "second token", func(ctx context.Context) error {
			err := target.Get(ctx, client.ObjectKeyFromObject(second), second)
			if err == nil && len(second.Data["token"]) == 0 {
				err = errors.New("no token")
			}
			return err
		})
		if err := target.Delete(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		always(t, "stays", exists)
	})
	t.Run("GRM-31 the account is deleted with its last Secret", func(t *testing.T) {
		if err := target.Delete(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		eventually(t, "account", isGone(account))
	})
}
