package gardens

import (
	"context"
	"errors"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	operatorvalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/operator"
)

func values() Values {
	return Values{
		Name: "local", Domain: "virtual-garden.local.gardener.cloud", Identity: "local-1", Version: "1.36.3", VirtualServices: "100.64.0.0/16",
		Runtime: gardencorev1beta1.SeedSpec{
			Networks: gardencorev1beta1.SeedNetworks{Nodes: ptr.To("127.0.0.0/24"), Pods: "127.64.0.0/16", Services: "127.96.0.0/16"},
			Provider: gardencorev1beta1.SeedProvider{Zones: []string{"0", "1", "2"}},
		},
	}
}

func newClient(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

func start(t *testing.T, c client.Client, v Values) *operatorv1alpha1.Garden {
	t.Helper()
	wanted := Object(v)
	if err := (Applier{Client: c, Wanted: wanted, Log: logr.Discard()}).Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	garden := &operatorv1alpha1.Garden{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(wanted), garden); err != nil {
		t.Fatal(err)
	}
	return garden
}

func TestApplier(t *testing.T) {
	t.Run("OPR-1 a landscape has a valid Garden", func(t *testing.T) {
		garden := start(t, newClient(t), values())
		rules := operatorvalidation.Host{Versions: []string{"1.36.3"}, Domain: values().Domain, Services: values().VirtualServices}
		if errs := operatorvalidation.ValidateGarden(garden, rules); len(errs) > 0 {
			t.Error(errs)
		}
	})
	t.Run("settings of users stay", func(t *testing.T) {
		changed := Object(values())
		changed.Spec.RuntimeCluster.Settings.LoadBalancerServices = &operatorv1alpha1.SettingLoadBalancerServices{Annotations: map[string]string{"a": "b"}}
		garden := start(t, newClient(t, changed), values())
		if diff := cmp.Diff(changed.Spec.RuntimeCluster.Settings, garden.Spec.RuntimeCluster.Settings); diff != "" {
			t.Errorf("settings (-want +got):\n%s", diff)
		}
	})
	for name, change := range map[string]func(*Values){
		"OPR-10 the Garden follows a binary with an older patch release": func(v *Values) { v.Version = "1.36.1" },
		"OPR-10 the Garden follows a newer binary":                       func(v *Values) { v.Version = "1.38.0" },
		"OPR-4 a zone that the configuration names no longer stays":      func(v *Values) { v.Runtime.Provider.Zones = []string{"1"} },
		"OPR-4 the configuration adds a zone":                            func(v *Values) { v.Runtime.Provider.Zones = []string{"1", "3"} },
	} {
		t.Run(name, func(t *testing.T) {
			old, now := Object(values()), values()
			change(&now)
			garden := start(t, newClient(t, old), now)
			rules := operatorvalidation.Host{Versions: []string{now.Version}, Domain: now.Domain}
			if errs := operatorvalidation.ValidateGardenUpdate(garden, old, rules); len(errs) > 0 {
				t.Errorf("the Garden refuses what the configuration says: %v", errs)
			}
			if garden.Spec.VirtualCluster.Kubernetes.Version != now.Version {
				t.Errorf("version %s", garden.Spec.VirtualCluster.Kubernetes.Version)
			}
		})
	}
}

func TestComponents(t *testing.T) {
	parts := Parts{
		ETCD: "etcd", APIServer: "api", Controllers: "controllers", GardenerAPIServer: "gardener", GardenerAPI: "registration",
		ControllerManager: "manager", Scheduler: "scheduler", AdmissionController: "admission", SeedOperators: "operators", FrontDoor: "door", Metrics: "metrics",
	}
	errBoom := errors.New("boom")
	ready := func(part string) func(context.Context) error {
		return func(context.Context) error {
			if part == "scheduler" {
				return errBoom
			}
			return nil
		}
	}
	inCluster := &host.Component{Name: "gardener-resource-manager", Group: host.Runtime, Stage: host.ResourceManager, Serves: ready("cluster")}
	for name, own := range map[string]*host.Component{"an embedded seed": nil, "a kind seed": inCluster} {
		t.Run("OPR-8 OPR-16 the parts of a process are components, on "+name, func(t *testing.T) {
			components := Components(parts, ready, own)
			if err := (host.Host{Components: components}).Validate(); err != nil {
				t.Fatal(err)
			}
			var failing []string
			for _, c := range components {
				if c.Serves != nil && c.Serves(t.Context()) != nil {
					failing = append(failing, c.Name)
				}
			}
			if diff := cmp.Diff([]string{"gardener-scheduler"}, failing); diff != "" {
				t.Errorf("components that do not serve (-want +got):\n%s", diff)
			}
		})
	}
}
