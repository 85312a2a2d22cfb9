package garden

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/operator/garden/authority"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

var errBoom = errors.New("boom")

func serves(context.Context) error { return nil }

func aHost() host.Host {
	return host.Host{Name: "local", Versions: []string{"1.36.3"}, Domain: "garden.example.org", Components: []host.Component{
		{Name: "gardener-scheduler", Group: host.Virtual, Stage: host.ControlPlane, Serves: serves},
		{Name: "virtual-garden-kube-apiserver", Group: host.Virtual, Stage: host.VirtualGarden, Serves: serves},
		{Name: "virtual-garden-etcd-main", Group: host.Virtual, Stage: host.ETCD, Serves: serves},
		{Name: "virtual-garden-etcd-events", Group: host.Virtual, Stage: host.ETCD, Absent: "its keys are in virtual-garden-etcd-main"},
		{Name: "etcd-druid", Group: host.Runtime, Stage: host.SystemComponents, Serves: serves},
		{Name: "gardener-resource-manager", Group: host.Runtime, Stage: host.ResourceManager, Serves: serves},
		{Name: "plutono", Group: host.Observability, Stage: host.Monitoring, Absent: "nothing is monitored"},
	}}
}

func aGarden(name string) *operatorv1alpha1.Garden {
	garden := &operatorv1alpha1.Garden{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 3}, Spec: operatorv1alpha1.GardenSpec{
		RuntimeCluster: operatorv1alpha1.RuntimeCluster{
			Ingress: operatorv1alpha1.Ingress{
				Domains: []operatorv1alpha1.DNSDomain{{Name: "ingress.example.org"}}, Controller: operatorv1alpha1.IngressController{Kind: "nginx"},
			},
			Networking: operatorv1alpha1.RuntimeNetworking{Pods: []string{"10.1.0.0/16"}, Services: []string{"10.2.0.0/16"}},
		},
		VirtualCluster: operatorv1alpha1.VirtualCluster{
			DNS:        operatorv1alpha1.DNS{Domains: []operatorv1alpha1.DNSDomain{{Name: "garden.example.org"}}},
			Gardener:   operatorv1alpha1.Gardener{ClusterIdentity: "example"},
			Kubernetes: operatorv1alpha1.Kubernetes{Version: "1.36.3"},
			Networking: operatorv1alpha1.Networking{Services: []string{"100.64.0.0/16"}},
		},
	}}
	return garden
}

func TestOrder(t *testing.T) {
	t.Run("OPR-6 components come in a fixed order", func(t *testing.T) {
		graph, err := (&Reconciler{Host: aHost()}).graph(aGarden("local"))
		if err != nil {
			t.Fatal(err)
		}
		want := `   0 admission policies
   1 authority of the runtime cluster <- admission policies
-  1 password of observability <- admission policies
   1 gardener-resource-manager <- admission policies
   2 etcd-druid <- gardener-resource-manager
   3 virtual-garden-etcd-main <- etcd-druid
-  3 virtual-garden-etcd-events <- etcd-druid
   4 virtual-garden-kube-apiserver <- virtual-garden-etcd-events | virtual-garden-etcd-main
-  5 new key of service accounts <- virtual-garden-kube-apiserver
-  5 further domains of the virtual garden <- virtual-garden-kube-apiserver
   5 access to the virtual garden <- new key of service accounts
   5 gardener-scheduler <- virtual-garden-kube-apiserver
-  6 new tokens for the virtual garden <- access to the virtual garden
   6 access to the virtual garden serves <- new tokens for the virtual garden
-  6 plutono <- gardener-scheduler | password of observability
-  7 new certificate authorities <- access to the virtual garden serves | gardener-scheduler
-  7 former certificate authorities dropped <- new certificate authorities
-  7 access to the virtual garden trusts its authorities <- former certificate authorities dropped
-  7 new tokens for the garden in all seeds <- access to the virtual garden trusts its authorities
-  7 new kubeconfigs for the garden in all seeds <- new tokens for the garden in all seeds
-  7 new encryption key <- access to the virtual garden trusts its authorities
-  7 objects are encrypted with the new key <- new encryption key
-  7 backup of objects with the new key <- objects are encrypted with the new key
-  7 former keys of service accounts dropped <- access to the virtual garden trusts its authorities
-  7 former encryption keys dropped <- access to the virtual garden trusts its authorities
`
		if diff := cmp.Diff(want, graph.String()); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

// TestDeployedOrder is the order for a host that deploys its components.
func TestDeployedOrder(t *testing.T) {
	does := func(context.Context, *operatorv1alpha1.Garden, host.Stage) error { return nil }
	h := aHost()
	h.Name, h.Deploy, h.Destroy = "", does, does
	r := &Reconciler{Host: h, ComponentTimeout: time.Minute}
	t.Run("OPR-6 a stage is deployed when the components of the one before serve", func(t *testing.T) {
		graph, err := r.graph(aGarden("any"))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"1 deploy resource manager <- admission policies",
			"3 deploy system components <- gardener-resource-manager",
			"5 deploy etcd <- etcd-druid",
			"7 deploy virtual garden <- virtual-garden-etcd-events | virtual-garden-etcd-main",
			"8 virtual-garden-kube-apiserver <- deploy virtual garden",
			"9 deploy Gardener control plane <- virtual-garden-kube-apiserver",
			"11 deploy observability <- gardener-scheduler | password of observability",
		} {
			if !strings.Contains(graph.String(), want+"\n") {
				t.Errorf("the order lacks %q:\n%s", want, graph)
			}
		}
	})
	t.Run("OPR-18 a reconciliation has the patience of its host", func(t *testing.T) {
		patient := *r
		patient.Host.Patience = time.Hour
		if usual, long := r.patience(), patient.patience(); usual != time.Minute || long != time.Hour {
			t.Errorf("%s, %s", usual, long)
		}
	})
	t.Run("OPR-39 stages are destroyed in reverse order, after the access", func(t *testing.T) {
		graph, err := r.deletion(aGarden("any"))
		if err != nil {
			t.Fatal(err)
		}
		want := `   0 access to the virtual garden
   0 password of observability
-  0 further domains of the virtual garden
   1 destroy observability <- access to the virtual garden
   2 destroy Gardener control plane <- destroy observability
   3 destroy virtual garden <- destroy Gardener control plane
   4 destroy etcd <- destroy virtual garden
   5 destroy system components <- destroy etcd
   6 destroy resource manager <- destroy system components
`
		if diff := cmp.Diff(want, graph.String()); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

// reconcileOne runs one reconciliation against a fake cluster and returns the last operation.
func reconcileOne(t *testing.T, h host.Host, garden *operatorv1alpha1.Garden) (*gardencorev1beta1.LastOperation, error) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(garden).WithStatusSubresource(garden).Build()
	r := &Reconciler{Runtime: c, Host: h, Clock: clocktesting.NewFakePassiveClock(time.Unix(1e9, 0)), ComponentTimeout: time.Millisecond}
	r.Authority = authority.Authority{Runtime: c, Reader: c, Clock: r.Clock, Turn: &sync.Mutex{}}
	_, failure := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(garden)})
	now := &operatorv1alpha1.Garden{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(garden), now); err != nil {
		t.Fatal(err)
	}
	if now.Status.LastOperation == nil {
		t.Fatal("there is no last operation")
	}
	return now.Status.LastOperation, failure
}

func TestReconcile(t *testing.T) {
	t.Run("OPR-18 a component that does not serve is an error that names it", func(t *testing.T) {
		h := aHost()
		h.Components[5].Serves = func(context.Context) error { return errBoom }
		last, err := reconcileOne(t, h, aGarden("local"))
		if !errors.Is(err, errBoom) || last.State != gardencorev1beta1.LastOperationStateError || last.Type != gardencorev1beta1.LastOperationTypeCreate {
			t.Errorf("%v, %+v", err, last)
		}
		if !strings.Contains(last.Description, `task "gardener-resource-manager" failed: boom`) {
			t.Errorf("description %q", last.Description)
		}
	})
	t.Run("OPR-18 a Garden is not called Succeeded any more while a component does not serve", func(t *testing.T) {
		h := aHost()
		h.Components[5].Serves = func(context.Context) error { return errBoom }
		garden := aGarden("local")
		garden.Status.ObservedGeneration = 3
		garden.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: gardencorev1beta1.LastOperationTypeCreate, State: gardencorev1beta1.LastOperationStateSucceeded}
		if last, _ := reconcileOne(t, h, garden); last.State != gardencorev1beta1.LastOperationStateError {
			t.Errorf("last operation %+v", last)
		}
	})
	for name, tc := range map[string]struct {
		garden *operatorv1alpha1.Garden
		change func(*operatorv1alpha1.Garden)
		state  gardencorev1beta1.LastOperationState
		want   string
	}{
		"an invalid Garden waits for its user": {
			aGarden("local"), func(g *operatorv1alpha1.Garden) { g.Spec.VirtualCluster.Kubernetes.Version = "1.30.0" },
			gardencorev1beta1.LastOperationStateError, `spec.virtualCluster.kubernetes.version: Unsupported value: "1.30.0": supported values: "1.36.3"`,
		},
		"OPR-1 a second Garden is not run": {
			aGarden("other"), func(*operatorv1alpha1.Garden) {}, gardencorev1beta1.LastOperationStateError, `this landscape runs only the Garden "local"`,
		},
		"OPR-27 a deletion that nobody confirmed is not carried out": {
			aGarden("local"), func(g *operatorv1alpha1.Garden) {
				g.DeletionTimestamp, g.Finalizers = ptr.To(metav1.Now()), []string{constants.FinalizerOperator}
			},
			gardencorev1beta1.LastOperationStatePending, constants.ConfirmationDeletion,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.change(tc.garden)
			last, err := reconcileOne(t, aHost(), tc.garden)
			if err != nil || last.State != tc.state || !strings.Contains(last.Description, tc.want) {
				t.Errorf("%v, %+v, want %s with %q", err, last, tc.state, tc.want)
			}
		})
	}
}

func TestDescription(t *testing.T) {
	garden := aGarden("local")
	garden.Spec.VirtualCluster.Kubernetes.KubeAPIServer = &operatorv1alpha1.KubeAPIServerConfig{}
	text := description(aHost(), garden)
	for _, want := range []string{
		"Not deployed: plutono (nothing is monitored); virtual-garden-etcd-events (its keys are in virtual-garden-etcd-main).",
		"Without effect here, since the configuration of the landscape decides: spec.virtualCluster.kubernetes.kubeAPIServer.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("description %q does not say %q", text, want)
		}
	}
}

func TestDomains(t *testing.T) {
	garden := aGarden("local")
	garden.Spec.VirtualCluster.DNS.Domains = append(garden.Spec.VirtualCluster.DNS.Domains, operatorv1alpha1.DNSDomain{Name: "old.example.org"})
	h := aHost()
	t.Run("OPR-13 a host that serves one domain says so", func(t *testing.T) {
		if text := description(h, garden); !strings.Contains(text, "dns.domains after the first") {
			t.Errorf("description %q", text)
		}
	})
	t.Run("OPR-13 a host that serves all domains does", func(t *testing.T) {
		var served []string
		h.ServeDomains = func(_ context.Context, further []string) error { served = further; return errBoom }
		h.Components = nil
		_, err := reconcileOne(t, h, garden)
		if !errors.Is(err, errBoom) || !slices.Equal(served, []string{"old.example.org"}) {
			t.Errorf("served %v, %v", served, err)
		}
		if text := description(h, garden); strings.Contains(text, "dns.domains") {
			t.Errorf("description %q", text)
		}
	})
}

func TestBegin(t *testing.T) {
	succeeded := &gardencorev1beta1.LastOperation{Type: gardencorev1beta1.LastOperationTypeCreate, State: gardencorev1beta1.LastOperationStateSucceeded}
	failed := &gardencorev1beta1.LastOperation{Type: gardencorev1beta1.LastOperationTypeCreate, State: gardencorev1beta1.LastOperationStateError}
	for name, tc := range map[string]struct {
		last     *gardencorev1beta1.LastOperation
		observed int64
		kind     gardencorev1beta1.LastOperationType
		quiet    bool
	}{
		"a new Garden is created":                           {nil, 0, gardencorev1beta1.LastOperationTypeCreate, false},
		"a creation that failed goes on":                    {failed, 3, gardencorev1beta1.LastOperationTypeCreate, false},
		"a change is told":                                  {succeeded, 2, gardencorev1beta1.LastOperationTypeReconcile, false},
		"a look at what has not changed writes no progress": {succeeded, 3, gardencorev1beta1.LastOperationTypeReconcile, true},
	} {
		t.Run(name, func(t *testing.T) {
			garden := aGarden("local")
			garden.Status.LastOperation, garden.Status.ObservedGeneration = tc.last, tc.observed
			if s := (&Reconciler{}).begin(garden); s.kind != tc.kind || s.quiet != tc.quiet {
				t.Errorf("type %s, quiet %v", s.kind, s.quiet)
			}
		})
	}
}
