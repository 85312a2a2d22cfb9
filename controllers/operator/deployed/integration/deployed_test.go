package integration

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/controllers/operator/deployed"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/observability"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// timeout of one stage.
const timeout = time.Minute

func aGarden() *operatorv1alpha1.Garden {
	garden := &operatorv1alpha1.Garden{ObjectMeta: metav1.ObjectMeta{Name: "any", UID: "1"}}
	garden.Spec.RuntimeCluster.Networking = operatorv1alpha1.RuntimeNetworking{Pods: []string{"10.1.0.0/16"}, Services: []string{"10.2.0.0/16"}}
	virtual := &garden.Spec.VirtualCluster
	virtual.ControlPlane = &operatorv1alpha1.ControlPlane{HighAvailability: &operatorv1alpha1.HighAvailability{}}
	virtual.DNS.Domains = []operatorv1alpha1.DNSDomain{{Name: "garden.example.org"}}
	virtual.Gardener.ClusterIdentity, virtual.Kubernetes.Version = "test", kubeversion.Number
	virtual.Networking.Services = []string{"100.64.0.0/16"}
	return garden
}

// objects are the kinds and names of what is in the namespace, or without one.
func objects(t *testing.T, lists ...client.ObjectList) (out []string) {
	t.Helper()
	for _, list := range lists {
		if err := cluster.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
			t.Fatal(err)
		}
		_ = meta.EachListItem(list, func(object runtime.Object) error {
			out = append(out, object.(client.Object).GetName())
			return nil
		})
	}
	slices.Sort(out)
	return out
}

func TestHost(t *testing.T) {
	play(t)
	h, err := deployed.New(deployed.Inputs{
		Client: cluster, Namespace: namespace, Image: "gardener:test", Registration: func(string, int32, []byte) []client.Object {
			return []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	password := observability.Password{Runtime: cluster, Reader: cluster, Clock: clock.RealClock{}} // of the operator
	if err := password.Deploy(t.Context(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	t.Run("OPR-2 OPR-6 OPR-8 OPR-9 OPR-16 OPR-17 OPR-34 an API server accepts all objects, in the order of the stages", func(t *testing.T) {
		for _, stage := range host.Stages() {
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			if err := h.Deploy(ctx, aGarden(), stage); err != nil {
				t.Fatalf("stage %s: %v", stage, err)
			}
			for _, component := range h.Components {
				if component.Stage != stage || component.Serves == nil {
					continue
				}
				if err := await.Poll(ctx, func() error { return component.Serves(ctx) }); err != nil {
					t.Fatal(err)
				}
			}
			cancel()
		}
		want := []string{
			"gardener-admission-controller", "gardener-apiserver", "gardener-controller-manager", "gardener-resource-manager", "gardener-scheduler",
			"prometheus-garden",
			"virtual-garden-etcd-events", "virtual-garden-etcd-main", "virtual-garden-gardener-resource-manager", "virtual-garden-kube-apiserver",
			"virtual-garden-kube-controller-manager", "vpa-admission-controller", "vpa-recommender", "vpa-updater",
		}
		if diff := cmp.Diff(want, objects(t, &appsv1.DeploymentList{}, &appsv1.StatefulSetList{}, &druidv1alpha1.EtcdList{})); diff != "" {
			t.Errorf("components (-want +got):\n%s", diff)
		}
		if budgets := objects(t, &policyv1.PodDisruptionBudgetList{}); len(budgets) != 7 {
			t.Errorf("budgets %v", budgets)
		}
		service := &corev1.Service{}
		if err := cluster.Get(t.Context(), client.ObjectKey{Namespace: "virtual-garden-istio-ingress", Name: "istio-ingressgateway"}, service); err != nil {
			t.Error(err)
		}
	})
	t.Run("OPR-39 they go in reverse order, and nothing is left in the namespace", func(t *testing.T) {
		for _, stage := range slices.Backward(host.Stages()) {
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			if err := await.Poll(ctx, func() error { return h.Destroy(ctx, aGarden(), stage) }); err != nil {
				t.Fatalf("stage %s: %v", stage, err)
			}
			cancel()
			if etcds := objects(t, &druidv1alpha1.EtcdList{}); stage == host.VirtualGarden && len(etcds) != 2 {
				t.Errorf("when the API server is gone, the etcds are %v", etcds)
			}
		}
		if err := password.Destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
		left := objects(t, &appsv1.DeploymentList{}, &appsv1.StatefulSetList{}, &druidv1alpha1.EtcdList{}, &resourcesv1alpha1.ManagedResourceList{}, &corev1.SecretList{}, &corev1.ServiceList{},
			&corev1.ConfigMapList{}, &corev1.ServiceAccountList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{}, &policyv1.PodDisruptionBudgetList{})
		left = slices.DeleteFunc(left, func(name string) bool { return name == "default" || strings.HasPrefix(name, "kube-root-ca") }) // of Kubernetes itself
		if len(left) > 0 {
			t.Errorf("left are %v", left)
		}
	})
}
