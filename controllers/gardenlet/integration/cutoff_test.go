package integration

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

const (
	watched   = "shoot--watched--s" // the namespace of the control plane
	inProject = "garden-watched"
)

// aProject makes the project of the shoots of these tests with all that they refer to, unless another test has.
func aProject(t *testing.T) {
	t.Helper()
	if _, err := get(t.Context(), &gardencorev1beta1.Project{ObjectMeta: metav1.ObjectMeta{Name: "watched"}}); err == nil {
		return
	}
	project := create(t, &gardencorev1beta1.Project{ObjectMeta: metav1.ObjectMeta{Name: "watched"}, Spec: gardencorev1beta1.ProjectSpec{Namespace: ptr.To(inProject)}})
	eventually(t, "project", func(ctx context.Context) error {
		if _, err := get(ctx, project); err != nil || project.Status.Phase != gardencorev1beta1.ProjectReady {
			return fmt.Errorf("project is %q, %v", project.Status.Phase, err)
		}
		return nil
	})
	create(t, &gardencorev1beta1.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: "watched"}, Spec: gardencorev1beta1.CloudProfileSpec{
		Type: "local", Regions: []gardencorev1beta1.Region{{Name: "local"}},
		Kubernetes: gardencorev1beta1.KubernetesSettings{Versions: []gardencorev1beta1.ExpirableVersion{{Version: "1.36.3"}}},
		MachineImages: []gardencorev1beta1.MachineImage{{Name: "local", Versions: []gardencorev1beta1.MachineImageVersion{
			{ExpirableVersion: gardencorev1beta1.ExpirableVersion{Version: "1.0.0"}},
		}}},
		MachineTypes: []gardencorev1beta1.MachineType{{Name: "local", CPU: resource.MustParse("2"), GPU: resource.MustParse("0"), Memory: resource.MustParse("4Gi")}},
	}})
	create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: inProject, Name: "local"}})
	create(t, &gardencorev1beta1.SecretBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: inProject, Name: "local"}, Provider: &gardencorev1beta1.SecretBindingProvider{Type: "local"},
		SecretRef: corev1.SecretReference{Namespace: inProject, Name: "local"},
	})
}

// shootOnSeed is a Shoot whose creation by the gardenlet has succeeded, as far as the status tells. No flow runs for it.
func shootOnSeed(t *testing.T, name string) *gardencorev1beta1.Shoot {
	t.Helper()
	aProject(t)
	shoot := create(t, &gardencorev1beta1.Shoot{
		ObjectMeta: metav1.ObjectMeta{Namespace: inProject, Name: name},
		Spec: gardencorev1beta1.ShootSpec{
			CloudProfileName: ptr.To("watched"), SecretBindingName: ptr.To("local"), Region: "local", SchedulerName: ptr.To("nobody"),
			Networking: &gardencorev1beta1.Networking{Type: ptr.To("calico"), Nodes: ptr.To("10.10.0.0/16")},
			DNS:        &gardencorev1beta1.DNS{Providers: []gardencorev1beta1.DNSProvider{{Type: ptr.To("unmanaged")}}},
			Kubernetes: gardencorev1beta1.Kubernetes{Version: "1.36.3"},
			Provider: gardencorev1beta1.Provider{Type: "local", Workers: []gardencorev1beta1.Worker{
				{Name: "local", Minimum: 2, Maximum: 2, Machine: gardencorev1beta1.Machine{Type: "local"}},
			}},
		},
	})
	merge(t, shoot, fmt.Sprintf(`{"status":{"uid":%q,"technicalID":%q,"seedName":"local","observedGeneration":%d,"gardener":{"id":"id","name":"gardenlet","version":"v1"},
		"lastOperation":{"type":"Create","state":"Succeeded","progress":100,"description":"d","lastUpdateTime":%q}}}`,
		shoot.UID, "shoot--watched--"+name, shoot.Generation+1, time.Now().UTC().Format(time.RFC3339)), "status")
	eventually(t, "seed", func(ctx context.Context) error { _, err := get(ctx, theSeed()); return err })
	shoot.Spec.SeedName = ptr.To("local")
	if err := cluster.SubResource("binding").Update(t.Context(), shoot); err != nil {
		t.Fatal(err)
	}
	return shoot
}

// removeShoot removes what would keep the seed from being deleted.
func removeShoot(t *testing.T, shoot *gardencorev1beta1.Shoot) {
	t.Helper()
	merge(t, shoot, `{"metadata":{"annotations":{"confirmation.gardener.cloud/deletion":"true"}}}`)
	if err := cluster.Delete(t.Context(), shoot); client.IgnoreNotFound(err) != nil {
		t.Error(err)
	}
	eventually(t, "end of the shoot", isGone(shoot))
}

// controlPlaneOf writes what the watchdog looks at in the namespace of the shoot. Garden, seed and shoot are one cluster.
func controlPlaneOf(t *testing.T) {
	t.Helper()
	kubeconfig, err := os.ReadFile(environment.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: watched}})
	create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: watched, Name: "gardener-internal"}, Data: map[string][]byte{"kubeconfig": kubeconfig}})
	for _, name := range []string{"kube-controller-manager", "machine-controller-manager", "kube-scheduler"} {
		labels := map[string]string{"gardener.cloud/role": "controlplane", "app": name}
		create(t, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: watched, Name: name, Labels: labels}, Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](1), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: somePod()},
		}})
	}
	for i := range 2 {
		name := watchedNode(i)
		create(t, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
		create(t, &machinev1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: watched, Name: name, Labels: map[string]string{"node": name}}})
		create(t, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-node-lease", Name: name}, Spec: coordinationv1.LeaseSpec{LeaseDurationSeconds: ptr.To[int32](40)}})
		t.Cleanup(func() {
			_ = cluster.Delete(context.Background(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
		})
	}
}

func watchedNode(i int) string { return fmt.Sprint("watched-", i) }

func somePod() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "one", Image: "one"}}}
}

// renew does what the kubelets do.
func renew(t *testing.T, at time.Time) {
	t.Helper()
	for i := range 2 {
		merge(t, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-node-lease", Name: watchedNode(i)}},
			fmt.Sprintf(`{"spec":{"renewTime":%q}}`, at.UTC().Format(metav1.RFC3339Micro)))
	}
}

// crash makes the scheduler wait after a crash from which on the API server is ready.
func crash(t *testing.T) *corev1.Pod {
	t.Helper()
	crashed := time.Now().Add(-2 * time.Minute)
	pod := func(name, role, status string) *corev1.Pod {
		out := create(t, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: watched, Name: name, Labels: map[string]string{"gardener.cloud/role": "controlplane", "role": role}}, Spec: somePod()})
		merge(t, out, `{"status":`+status+`}`, "status")
		return out
	}
	pod("server", "apiserver", fmt.Sprintf(`{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":%q}]}`, crashed.Add(time.Minute).UTC().Format(time.RFC3339)))
	out := pod("scheduler", "scheduler", fmt.Sprintf(`{"containerStatuses":[{"name":"one","image":"one","imageID":"","ready":false,"restartCount":1,
		"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"finishedAt":%q}}}]}`, crashed.UTC().Format(time.RFC3339)))
	merge(t, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: watched, Name: "kube-scheduler"}}, `{"status":{"replicas":1,"unavailableReplicas":1}}`, "status")
	return out
}

// replicasAre checks the Deployments that act on nodes. The scheduler always runs.
func replicasAre(want int32) func(context.Context) error {
	return func(ctx context.Context) error {
		for name, want := range map[string]int32{"kube-controller-manager": want, "machine-controller-manager": want, "kube-scheduler": 1} {
			deployment, err := get(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: watched, Name: name}})
			if err != nil {
				return err
			}
			if got := ptr.Deref(deployment.Spec.Replicas, -1); got != want {
				return fmt.Errorf("%s has %d replicas, want %d", name, got, want)
			}
		}
		return nil
	}
}

// TestWatchdog is about a gardenlet that finds the shoot by itself, and asks its API server with the kubeconfig in the seed.
func TestWatchdog(t *testing.T) {
	controlPlaneOf(t)
	renew(t, time.Now().Add(-time.Hour))
	pod := crash(t)
	defer removeShoot(t, shootOnSeed(t, "s"))
	t.Run("GLT-39 a pod that waits after a crash is deleted when the API server is back", func(t *testing.T) {
		eventually(t, "end of the pod", isGone(pod))
	})
	t.Run("GLT-39 what acts on nodes is stopped while no kubelet reaches the API server", func(t *testing.T) {
		eventually(t, "replicas", replicasAre(0))
	})
	t.Run("GLT-39 it comes back with the kubelets", func(t *testing.T) {
		renew(t, time.Now().Add(time.Minute))
		eventually(t, "replicas", replicasAre(1))
	})
}
