package integration

import (
	"context"
	"errors"
	"fmt"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

func theSeed() *gardencorev1beta1.Seed {
	return &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "local"}}
}

func conditionIs(kind, status string) func(context.Context) error {
	return func(ctx context.Context) error {
		seed, err := get(ctx, theSeed())
		if err != nil {
			return err
		}
		condition := conditions.Get(seed.Status.Conditions, gardencorev1beta1.ConditionType(kind))
		if condition == nil || string(condition.Status) != status {
			return fmt.Errorf("%s: %+v", kind, condition)
		}
		return nil
	}
}

func TestSeed(t *testing.T) {
	t.Run("GLT-9 API-11 the configured seed is registered", func(t *testing.T) {
		eventually(t, "seed", func(ctx context.Context) error {
			seed, err := get(ctx, theSeed())
			if err == nil && (seed.Labels["a"] != "b" || seed.Spec.Provider.Region != "local") {
				err = fmt.Errorf("seed %+v", seed)
			}
			return err
		})
	})
	t.Run("MIG-2 the gardenlet says that its nodes share no backups, also when somebody has replaced the Seed", func(t *testing.T) {
		said := func(ctx context.Context) error {
			seed, err := get(ctx, theSeed())
			if got := seed.Annotations[helper.AnnotationSharesBackups]; err == nil && got != "false" {
				err = fmt.Errorf("annotation %q", got)
			}
			return err
		}
		eventually(t, "registered", said)
		seed, err := get(t.Context(), theSeed())
		if err != nil {
			t.Fatal(err)
		}
		before := client.MergeFrom(seed.DeepCopy())
		seed.Annotations = nil
		if err := cluster.Patch(t.Context(), seed, before); err != nil {
			t.Fatal(err)
		}
		eventually(t, "replaced", said)
	})
	t.Run("GLT-11 the gardenlet is ready", func(t *testing.T) { eventually(t, "ready", conditionIs("GardenletReady", "True")) })
	t.Run("GLT-14 the seed is bootstrapped", func(t *testing.T) {
		eventually(t, "bootstrapped", conditionIs("Bootstrapped", "True"))
		eventually(t, "extensions", conditionIs("ExtensionsReady", "True"))
		class, err := get(t.Context(), &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "gardener-system-500"}})
		if err != nil || class.Value != 999998500 {
			t.Errorf("priority class %d, %v", class.Value, err)
		}
		namespace, err := get(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "garden"}})
		if err != nil || namespace.Labels["gardener.cloud/role"] != "garden" {
			t.Errorf("labels of namespace garden %v, %v", namespace.Labels, err)
		}
	})
	t.Run("SAC-1 the admission is deployed, deletions are refused before it answers, and its health is the seed's", func(t *testing.T) {
		const name, healthy = "gardener-seed-admission-controller", "SeedSystemComponentsHealthy"
		configuration, err := get(t.Context(), &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}})
		if err != nil {
			t.Fatal(err)
		}
		for _, hook := range configuration.Webhooks {
			if at := hook.ClientConfig.Service; at == nil || at.Name != name || at.Namespace != "garden" || *hook.FailurePolicy != admissionregistrationv1.Fail {
				t.Errorf("webhook %+v", hook)
			}
		}
		if len(configuration.Webhooks) != 2 {
			t.Errorf("%d webhooks, want those for definitions and for objects", len(configuration.Webhooks))
		}
		eventually(t, "starting", conditionIs(healthy, "Progressing"))
		deployed := func(available corev1.ConditionStatus) { // as the controllers of Kubernetes tell
			t.Helper()
			deployment, err := get(t.Context(), &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: name}})
			if err != nil {
				t.Fatal(err)
			}
			deployment.Status = appsv1.DeploymentStatus{
				ObservedGeneration: deployment.Generation, Replicas: 1, UpdatedReplicas: 1, Conditions: []appsv1.DeploymentCondition{
					{Type: appsv1.DeploymentAvailable, Status: available}, {Type: appsv1.DeploymentProgressing, Status: "True", Reason: "NewReplicaSetAvailable"},
				},
			}
			if err := cluster.Status().Update(t.Context(), deployment); err != nil {
				t.Fatal(err)
			}
		}
		deployed("True")
		eventually(t, "healthy", conditionIs(healthy, "True"))
		deployed("False")
		eventually(t, "broken", conditionIs(healthy, "False"))
		deployed("True")
		eventually(t, "healthy again", conditionIs(healthy, "True"))
	})
	t.Run("GLT-16 MSD-1 the status says what the seed is and can hold", func(t *testing.T) {
		seed, err := get(t.Context(), theSeed())
		if err != nil {
			t.Fatal(err)
		}
		status := seed.Status
		capacity, allocatable := status.Capacity["shoots"], status.Allocatable["shoots"]
		if capacity.String() != "100" || allocatable.String() != "97" {
			t.Errorf("capacity %s, allocatable %s", capacity.String(), allocatable.String())
		}
		const extra = "local.extensions.gardener.cloud/load-balancers"
		if capacity, allocatable := status.Capacity[extra], status.Allocatable[extra]; capacity.String() != "7" || allocatable.String() != "7" {
			t.Errorf("MSD-1 capacity %s, allocatable %s of a resource with a name of its own", capacity.String(), allocatable.String())
		}
		if ptr.Deref(status.KubernetesVersion, "") == "" || status.Gardener == nil || status.Gardener.Name != "gardenlet" || status.ObservedGeneration != seed.Generation {
			t.Errorf("status %+v", status)
		}
		if last := status.LastOperation; last == nil || last.State != "Succeeded" || last.Progress != 100 {
			t.Errorf("last operation %+v", last)
		}
	})
	t.Run("ARC-10 the identity of the cluster is kept and reported", func(t *testing.T) {
		identity, err := get(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "cluster-identity"}})
		seed, err2 := get(t.Context(), theSeed())
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		// The cluster is the garden, too, whose identity was there first.
		if got := ptr.Deref(seed.Status.ClusterIdentity, ""); got == "" || got != identity.Data["cluster-identity"] {
			t.Errorf("identity %q, in the cluster %q", got, identity.Data["cluster-identity"])
		}
	})
	t.Run("GLT-11 the lease is renewed again and again", func(t *testing.T) {
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "gardener-system-seed-lease", Name: "local"}}
		if _, err := get(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
		if holder := ptr.Deref(lease.Spec.HolderIdentity, ""); holder != "local" {
			t.Errorf("holder = %q", holder)
		}
		before := lease.Spec.RenewTime.Time
		eventually(t, "renewal", func(ctx context.Context) error {
			if _, err := get(ctx, lease); err != nil || !lease.Spec.RenewTime.After(before) {
				return fmt.Errorf("renewed at %v, %v", lease.Spec.RenewTime, err)
			}
			return nil
		})
	})
}

// TestGardenOutage cuts the gardenlet off from the garden, which still answers to the test.
func TestGardenOutage(t *testing.T) {
	eventually(t, "ready", conditionIs("GardenletReady", "True"))
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "gardener-system-seed-lease", Name: "local"}}
	outage.set(true)
	defer outage.set(false)
	before, err := get(t.Context(), lease.DeepCopy())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("GLT-12 during an outage of the garden the gardenlet is not healthy", func(t *testing.T) { eventually(t, "health", healthIs(500)) })
	if now, err := get(t.Context(), lease.DeepCopy()); err != nil || !now.Spec.RenewTime.Equal(before.Spec.RenewTime) {
		t.Fatalf("the cut does not work: renewed at %v, error %v", now.Spec.RenewTime, err)
	}
	outage.set(false)
	t.Run("GLT-13 after an outage of the garden the gardenlet continues", func(t *testing.T) {
		eventually(t, "renewal", func(ctx context.Context) error {
			if _, err := get(ctx, lease); err != nil || !lease.Spec.RenewTime.After(before.Spec.RenewTime.Time) {
				return fmt.Errorf("renewed at %v, %v", lease.Spec.RenewTime, err)
			}
			return nil
		})
	})
	t.Run("GLT-12 it is healthy again afterwards", func(t *testing.T) { eventually(t, "health", healthIs(200)) })
}

// TestSeedDeletion comes last: nothing registers the seed again before the gardenlet starts again.
func TestSeedDeletion(t *testing.T) {
	eventually(t, "bootstrapped", conditionIs("Bootstrapped", "True"))
	seed, err := get(t.Context(), theSeed())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := get(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "etcd-druid-component-protection"}}); err != nil {
		t.Error(err)
	}
	if err := cluster.Delete(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	t.Run("the seed waits for its bucket", func(t *testing.T) {
		eventually(t, "last operation", func(ctx context.Context) error {
			seed, err := get(ctx, theSeed())
			if err != nil {
				return err
			}
			if last := seed.Status.LastOperation; last.Type != "Delete" || last.State != "Error" {
				return fmt.Errorf("last operation %+v", last)
			}
			return nil
		})
	})
	t.Run("then it goes, with everything of its own", func(t *testing.T) {
		inSeed := &extensionsv1alpha1.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: string(seed.UID)}}
		if _, err := get(t.Context(), inSeed); err == nil {
			merge(t, inSeed, `{"metadata":{"finalizers":null}}`) // the extension is done
		}
		eventually(t, "seed", isGone(theSeed()))
		eventually(t, "priority class", isGone(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "gardener-system-500"}}))
		eventually(t, "bucket", isGone(&gardencorev1beta1.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: string(seed.UID)}}))
	})
	t.Run("ETC-2 the objects of Etcds are not protected any more", func(t *testing.T) {
		eventually(t, "policy", isGone(&admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "etcd-druid-component-protection"}}))
	})
	t.Run("NET-1 its namespaces are not closed any more", func(t *testing.T) {
		eventually(t, "policy", isGone(&networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "deny-all"}}))
	})
}
