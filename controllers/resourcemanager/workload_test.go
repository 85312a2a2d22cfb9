package resourcemanager_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

func TestManagedResourceWorkload(t *testing.T) {
	t.Parallel()
	const content = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: other, annotations: {resources.gardener.cloud/preserve-replicas: "true"}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}
`
	r := create(t, "workload", content, func(resource *resourcesv1alpha1.ManagedResource) {
		resource.Spec.InjectLabels = map[string]string{"foo": "bar"}
	})
	r.waitApplied()
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "web"}}
	read := func() {
		t.Helper()
		if err := target.Get(t.Context(), client.ObjectKeyFromObject(deployment), deployment); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("GRM-5 labels are injected", func(t *testing.T) {
		read()
		if deployment.Labels["foo"] != "bar" || deployment.Spec.Template.Labels["foo"] != "bar" {
			t.Errorf("labels %v, of pods %v", deployment.Labels, deployment.Spec.Template.Labels)
		}
	})
	t.Run("GRM-17 GRM-18 health follows the Deployment", func(t *testing.T) {
		r.waitFor("ResourcesHealthy", "False", "DeploymentUnhealthy")
		r.waitFor("ResourcesProgressing", "True", "DeploymentProgressing")
		setReady := func() error {
			read()
			replicas := *deployment.Spec.Replicas
			deployment.Status = appsv1.DeploymentStatus{
				ObservedGeneration: deployment.Generation, Replicas: replicas, UpdatedReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas,
				Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue}},
			}
			return target.Status().Update(t.Context(), deployment)
		}
		eventually(t, "set ready", func(context.Context) error { return setReady() })
		r.waitFor("ResourcesHealthy", "True", "ResourcesHealthy")
		r.waitFor("ResourcesProgressing", "False", "ResourcesRolledOut")
	})
	t.Run("GRM-11 scaled replicas are preserved when the content changes", func(t *testing.T) {
		if err := target.Patch(t.Context(), deployment, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"replicas":3}}`))); err != nil {
			t.Fatal(err)
		}
		r.setContent(content + "  minReadySeconds: 7\n")
		eventually(t, "content", func(context.Context) error {
			read()
			if deployment.Spec.MinReadySeconds != 7 {
				return errors.New("not applied yet")
			}
			return nil
		})
		if *deployment.Spec.Replicas != 3 {
			t.Errorf("replicas = %d, want 3", *deployment.Spec.Replicas)
		}
	})
	t.Run("GRM-9 an object without health check counts as healthy", func(t *testing.T) {
		create(t, "unchecked", `
apiVersion: v1
kind: Pod
metadata: {name: unchecked, namespace: other, annotations: {resources.gardener.cloud/skip-health-check: "true"}}
spec: {containers: [{name: web, image: nginx}]}
`).waitFor("ResourcesHealthy", "True", "ResourcesHealthy")
	})
}

func TestQuietWhenNothingChanges(t *testing.T) {
	r := create(t, "quiet", configMap("quiet", "x"))
	r.waitFor("ResourcesHealthy", "True", "ResourcesHealthy")
	versions := func() []string {
		object, err := readConfigMap(t.Context(), "quiet")
		resource, err2 := r.get(t.Context())
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		return []string{object.ResourceVersion, resource.ResourceVersion}
	}
	before := versions()
	always(t, "no writes", func(context.Context) error {
		if now := versions(); !slices.Equal(before, now) {
			return fmt.Errorf("resource versions changed from %v to %v", before, now)
		}
		return nil
	})
}
