package networkpolicy

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	services "github.com/gardener-up/gardener-up/controllers/resourcemanager/networkpolicy"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

var (
	env     *testenv.Env
	cluster client.Client // of an administrator, without a cache
)

func TestMain(m *testing.M) {
	definitions, err := crds.Operator()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testenv.Main(m, testenv.Options{CRDs: definitions}, func(e *testenv.Env) { env = e })
}

// start runs the controller until the test ends.
func start(t *testing.T) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	var err error
	if cluster, err = client.New(env.Config, client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	mgr, err := manager.New(env.Config, manager.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	r := &Reconciler{Gardens: mgr.GetClient(), Client: cluster, Namespace: "garden", Entrance: "virtual-garden-kube-apiserver"}
	if err := r.AddToManager(mgr, workers.Insistent(1)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func create(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, object := range objects {
		if err := cluster.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
}

// names are those of the policies in all namespaces.
func names(ctx context.Context) (map[string]bool, error) {
	list := &networkingv1.NetworkPolicyList{}
	err := cluster.List(ctx, list)
	out := map[string]bool{}
	for _, policy := range list.Items {
		out[policy.Namespace+"/"+policy.Name] = true
	}
	return out, err
}

// become waits until there are exactly these policies.
func become(t *testing.T, what string, want ...string) {
	t.Helper()
	wanted := map[string]bool{}
	for _, name := range want {
		wanted[name] = true
	}
	env.Until(t, what, func(ctx context.Context) error {
		got, err := names(ctx)
		if diff := cmp.Diff(wanted, got); diff != "" {
			return fmt.Errorf("policies (-want +got):\n%s%w", diff, err)
		}
		return err
	})
}

// stay waits until there are exactly these policies, and fails if one of them goes.
func stay(t *testing.T, what string, want ...string) {
	t.Helper()
	become(t, what, want...)
	uids := func() map[string]types.UID {
		list, out := &networkingv1.NetworkPolicyList{}, map[string]types.UID{}
		if err := cluster.List(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		for _, policy := range list.Items {
			out[policy.Namespace+"/"+policy.Name] = policy.UID
		}
		return out
	}
	before := uids()
	testwait.Stays(t, time.Second, what, func() error { // the controller acts at once
		if diff := cmp.Diff(before, uids()); diff != "" {
			return fmt.Errorf("policies have changed (-before +after):\n%s", diff)
		}
		return nil
	})
}

// ofGardenlet are the policies that a gardenlet derives from a Service in its own namespace.
func ofGardenlet(t *testing.T, service *corev1.Service) (out []client.Object) {
	t.Helper()
	policies, err := services.Policies(service, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range policies {
		out = append(out, policy)
	}
	return out
}

func aGarden() *operatorv1alpha1.Garden {
	garden := &operatorv1alpha1.Garden{ObjectMeta: metav1.ObjectMeta{Name: "sky"}}
	garden.Spec.RuntimeCluster.Ingress.Domains = []operatorv1alpha1.DNSDomain{{Name: "ingress.example.org"}}
	garden.Spec.RuntimeCluster.Ingress.Controller.Kind = "nginx"
	garden.Spec.RuntimeCluster.Networking = operatorv1alpha1.RuntimeNetworking{Pods: []string{"10.1.0.0/16"}, Services: []string{"10.2.0.0/16"}}
	virtual := &garden.Spec.VirtualCluster
	virtual.DNS.Domains = []operatorv1alpha1.DNSDomain{{Name: "garden.example.org"}}
	virtual.Gardener.ClusterIdentity, virtual.Kubernetes.Version = "test", "1.34.1"
	virtual.Networking.Services = []string{"100.64.0.0/16"}
	virtual.Maintenance.TimeWindow.Begin, virtual.Maintenance.TimeWindow.End = "220000+0100", "230000+0100"
	operatorv1alpha1.SetDefaultsGarden(garden)
	return garden
}

func TestPoliciesFollowTheGarden(t *testing.T) {
	start(t)
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "web", Annotations: map[string]string{"networking.resources.gardener.cloud/namespace-selectors": `[{"matchLabels":{"a":"b"}}]`}},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080)}}},
	}
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "garden"}}, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other", Labels: map[string]string{"a": "b"}}}, service)
	foreign := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "of-somebody"}}
	create(t, foreign)
	stay(t, "OPR-26 without a Garden there are no policies", "garden/of-somebody")
	create(t, ofGardenlet(t, service)...)
	stay(t, "OPR-26 without a Garden those of a gardenlet stay", "garden/of-somebody", "garden/ingress-to-web-tcp-8080", "garden/egress-to-web-tcp-8080")
	create(t, aGarden())
	all := []string{
		"garden/of-somebody", "garden/allow-to-dns", "garden/allow-to-runtime-apiserver", "garden/allow-to-public-networks", "garden/allow-to-private-networks", "garden/deny-all",
		"garden/gardener-operator", "garden/allow-from-gardener-operator", "garden/ingress-to-web-tcp-8080", "garden/egress-to-web-tcp-8080",
		"garden/ingress-to-web-tcp-8080-from-other", "other/egress-to-garden-web-tcp-8080",
	}
	become(t, "OPR-26 a Garden closes its namespace", all...)
	for _, gone := range []string{"deny-all", "egress-to-web-tcp-8080"} {
		if err := cluster.Delete(t.Context(), &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: gone}}); err != nil {
			t.Fatal(err)
		}
	}
	become(t, "OPR-26 policies that somebody deletes come back", all...)
	if err := cluster.Delete(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	become(t, "OPR-26 those of a Service go with it", all[:8]...)
	if err := cluster.Delete(t.Context(), aGarden()); err != nil {
		t.Fatal(err)
	}
	become(t, "OPR-26 all go with the Garden, except those of others", "garden/of-somebody")
}

func TestResolvers(t *testing.T) {
	t.Run("OPR-26 name servers are those of the pod", func(t *testing.T) {
		got := resolvers("search svc.cluster.local\nnameserver 169.254.20.10\n# nameserver 1.1.1.1\nnameserver fd00::10\noptions ndots:5\nnameserver\n")
		if diff := cmp.Diff([]string{"169.254.20.10", "fd00::10"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
