package operator_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/mistakes"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/operator"
)

func garden() *operatorv1alpha1.Garden {
	g := &operatorv1alpha1.Garden{Spec: operatorv1alpha1.GardenSpec{
		RuntimeCluster: operatorv1alpha1.RuntimeCluster{
			Ingress: operatorv1alpha1.Ingress{
				Domains: []operatorv1alpha1.DNSDomain{{Name: "ingress.example.org"}}, Controller: operatorv1alpha1.IngressController{Kind: "nginx"},
			},
			Networking: operatorv1alpha1.RuntimeNetworking{Nodes: []string{"10.0.0.0/16"}, Pods: []string{"10.1.0.0/16"}, Services: []string{"10.2.0.0/16"}},
			Provider:   operatorv1alpha1.Provider{Zones: []string{"a", "b"}},
		},
		VirtualCluster: operatorv1alpha1.VirtualCluster{
			ControlPlane: &operatorv1alpha1.ControlPlane{HighAvailability: &operatorv1alpha1.HighAvailability{}},
			DNS:          operatorv1alpha1.DNS{Domains: []operatorv1alpha1.DNSDomain{{Name: "garden.example.org"}, {Name: "old.example.org"}}},
			Gardener:     operatorv1alpha1.Gardener{ClusterIdentity: "example"},
			Kubernetes:   operatorv1alpha1.Kubernetes{Version: "1.35.2"},
			Networking:   operatorv1alpha1.Networking{Services: []string{"100.64.0.0/16"}},
		},
	}}
	operatorv1alpha1.SetDefaultsGarden(g)
	g.Spec.VirtualCluster.Maintenance.TimeWindow.Begin, g.Spec.VirtualCluster.Maintenance.TimeWindow.End = "220000+0100", "230000+0100"
	return g
}

func TestValidateGarden(t *testing.T) {
	host := operator.Host{Versions: []string{"1.35.2", "1.36.0"}, Domain: "garden.example.org", Services: "100.64.0.0/16"}
	const runtime, virtual = "spec.runtimeCluster.", "spec.virtualCluster."
	t.Run("OPR-10 OPR-13 OPR-14 mistakes are reported with their fields", func(t *testing.T) {
		mistakes.Check(t, garden, func(g *operatorv1alpha1.Garden) field.ErrorList { return operator.ValidateGarden(g, host) },
			mistakes.R("OPR-13 a domain is required", virtual+"dns.domains", `[]`),
			mistakes.R("OPR-13 a domain is a name", virtual+"dns.domains[1].name", `"not a name"`),
			mistakes.R("OPR-13 a further domain is not one of Shoots", virtual+"dns.domains[1].name", `"sun.dev.garden.example.org"`),
			mistakes.R("domains are unique", virtual+"dns.domains[1].name", `"garden.example.org"`),
			mistakes.R("the first domain is served by the host", virtual+"dns.domains[0].name", `"other.example.org"`, virtual+"dns"),
			mistakes.R("domains refer to an account that exists", virtual+"dns.domains[0].provider", `"none"`),
			mistakes.R("OPR-14 a range of Services is required", virtual+"networking.services", `[]`),
			mistakes.R("OPR-14 a range is a CIDR", virtual+"networking.services[0]", `"100.64.0.1/16"`),
			mistakes.R("OPR-14 the first range is that of the host", virtual+"networking.services[0]", `"100.65.0.0/16"`),
			mistakes.R("OPR-10 a version is required", virtual+"kubernetes.version", `""`),
			mistakes.R("OPR-10 a version is one that the host runs", virtual+"kubernetes.version", `"1.34.0"`),
			mistakes.R("a version is a version", virtual+"kubernetes.version", `"new"`),
			mistakes.R("ranges are disjoint", runtime+"networking.services[0]", `"10.1.128.0/17"`),
			mistakes.R("ranges of nodes and pods are disjoint", runtime+"networking.pods[0]", `"10.0.0.0/8"`, runtime+"networking.pods[0]", runtime+"networking.services[0]"),
			mistakes.R("pods have a range", runtime+"networking.pods", `[]`),
			mistakes.R("zones are unique", runtime+"provider.zones[1]", `"a"`),
			mistakes.R("zones have names", runtime+"provider.zones[1]", `""`),
			mistakes.R("the ingress has a domain", runtime+"ingress.domains", `[]`),
			mistakes.R("the ingress controller is nginx", runtime+"ingress.controller.kind", `"traefik"`),
			mistakes.R("accounts are listed or left out", "spec.dns", `{"providers": []}`, "spec.dns.providers"),
			mistakes.R("an account is whole", "spec.dns", `{"providers": [{"secretRef": {}}]}`, "spec.dns.providers[0].name", "spec.dns.providers[0].type", "spec.dns.providers[0].secretRef.name"),
			mistakes.R("etcd for events has a least memory", virtual+"etcd.events.autoscaling", `{"minAllowed": {"memory": "59M"}}`, virtual+"etcd.events.autoscaling.minAllowed[memory]"),
			mistakes.R("main etcd has a least memory", virtual+"etcd.main.autoscaling", `{"minAllowed": {"memory": "299M"}}`, virtual+"etcd.main.autoscaling.minAllowed[memory]"),
			mistakes.R("only processor and memory have a least amount", virtual+"etcd.main.autoscaling", `{"minAllowed": {"gpu": "1"}}`, virtual+"etcd.main.autoscaling.minAllowed[gpu]"),
			mistakes.R("a backup is whole", virtual+"etcd.main.backup", `{"secretRef": {}}`, virtual+"etcd.main.backup.provider", virtual+"etcd.main.backup.secretRef.name"),
			mistakes.R("the maintenance window is not longer than 6 hours", virtual+"maintenance.timeWindow.end", `"050000+0100"`, virtual+"maintenance.timeWindow"),
			mistakes.R("the garden has an identity", virtual+"gardener.clusterIdentity", `""`),
			mistakes.R("log levels are known", virtual+"gardener.gardenerScheduler", `{"logLevel": "loud"}`, virtual+"gardener.gardenerScheduler.logLevel"),
			mistakes.R("an audit webhook has a kubeconfig", virtual+"kubernetes.kubeAPIServer", `{"auditWebhook": {"batchMaxSize": 0}}`,
				virtual+"kubernetes.kubeAPIServer.auditWebhook.kubeconfigSecretName", virtual+"kubernetes.kubeAPIServer.auditWebhook.batchMaxSize"),
			mistakes.Fine("another version of the host", virtual+"kubernetes.version", `"1.36.0"`),
			mistakes.Fine("one more range", runtime+"networking.pods[1]", `"10.3.0.0/16"`),
		)
	})
}

func TestValidateGardenUpdate(t *testing.T) {
	const runtime, virtual = "spec.runtimeCluster.", "spec.virtualCluster."
	t.Run("OPR-9 what a Garden has for good stays", func(t *testing.T) {
		mistakes.CheckUpdate(t, garden, func(g, old *operatorv1alpha1.Garden) field.ErrorList {
			return operator.ValidateGardenUpdate(g, old, operator.Host{})
		},
			mistakes.R("OPR-9 high availability is for good", virtual+"controlPlane", `{}`, virtual+"controlPlane.highAvailability"),
			mistakes.R("the first domain stays", virtual+"dns.domains[0].name", `"new.example.org"`, virtual+"dns"),
			mistakes.R("the identity stays", virtual+"gardener.clusterIdentity", `"other"`),
			mistakes.R("zones stay", runtime+"provider.zones", `["a"]`),
			mistakes.R("ranges stay", runtime+"networking.pods", `["10.9.0.0/16"]`),
			mistakes.R("ranges of virtual Services stay", virtual+"networking.services", `["100.65.0.0/16"]`),
			mistakes.R("a version is not taken back", virtual+"kubernetes.version", `"1.35.1"`),
			mistakes.R("a minor version is not left out", virtual+"kubernetes.version", `"1.37.0"`),
			mistakes.Fine("the next minor version", virtual+"kubernetes.version", `"1.36.7"`),
			mistakes.Fine("one more zone", runtime+"provider.zones[2]", `"c"`),
		)
	})
	t.Run("the Garden follows a host with an older release", func(t *testing.T) {
		older := garden()
		older.Spec.VirtualCluster.Kubernetes.Version = "1.35.1"
		if errs := operator.ValidateGardenUpdate(older, garden(), operator.Host{Versions: []string{"1.35.1"}}); len(errs) > 0 {
			t.Error(errs)
		}
	})
	t.Run("an invalid Garden in deletion can lose its finalizers, but not change", func(t *testing.T) {
		old := garden()
		old.DeletionTimestamp, old.Spec.VirtualCluster.Kubernetes.Version = ptr.To(metav1.Now()), "invalid"
		released := old.DeepCopy()
		released.Finalizers = nil
		if errs := operator.ValidateGardenUpdate(released, old, operator.Host{}); len(errs) > 0 {
			t.Error(errs)
		}
		released.Spec.VirtualCluster.Kubernetes.Version = "1.36.0"
		if errs := operator.ValidateGardenUpdate(released, old, operator.Host{}); len(errs) == 0 {
			t.Error("the spec of a Garden in deletion changed")
		}
	})
}

func TestValidateGardenDeletion(t *testing.T) {
	g := garden()
	if errs := operator.ValidateGardenDeletion(g); len(errs) != 1 || !strings.Contains(errs[0].Error(), "confirmation.gardener.cloud/deletion") {
		t.Errorf("without confirmation: %v", errs)
	}
	g.Annotations = map[string]string{"confirmation.gardener.cloud/deletion": "true"}
	if errs := operator.ValidateGardenDeletion(g); len(errs) > 0 {
		t.Error(errs)
	}
}

func TestDefaults(t *testing.T) {
	t.Run("OPR-2 OPR-27 omitted fields are filled, the autoscaler is on", func(t *testing.T) {
		g := &operatorv1alpha1.Garden{}
		operatorv1alpha1.SetDefaultsGarden(g)
		window := g.Spec.VirtualCluster.Maintenance.TimeWindow
		if !*g.Spec.RuntimeCluster.Settings.VerticalPodAutoscaler.Enabled || g.Spec.VirtualCluster.ETCD.Main.Storage.Capacity.String() != "10Gi" || len(window.Begin) != len("220000+0000") {
			t.Errorf("defaults %+v", g.Spec)
		}
	})
	t.Run("fields that are set stay", func(t *testing.T) {
		g := garden()
		g.Spec.RuntimeCluster.Settings.VerticalPodAutoscaler.Enabled = ptr.To(false)
		operatorv1alpha1.SetDefaultsGarden(g)
		if *g.Spec.RuntimeCluster.Settings.VerticalPodAutoscaler.Enabled || g.Spec.VirtualCluster.Maintenance.TimeWindow.Begin != "220000+0100" {
			t.Errorf("defaults %+v", g.Spec)
		}
	})
}
