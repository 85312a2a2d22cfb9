package deployed

import (
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	admissionconfig "github.com/gardener-up/gardener-up/controllers/admissioncontroller/config"
	managerconfig "github.com/gardener-up/gardener-up/controllers/controllermanager/config"
	schedulerconfig "github.com/gardener-up/gardener-up/controllers/scheduler/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

func parse(t *testing.T, text []byte) *x509.Certificate {
	t.Helper()
	block, _ := pem.Decode(text)
	if block == nil {
		t.Fatalf("no certificate in %q", text)
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// settings are some of each component.
func settings(g *operatorv1alpha1.Garden) {
	gardener := &g.Spec.VirtualCluster.Gardener
	gardener.APIServer = &operatorv1alpha1.GardenerAPIServerConfig{
		KubernetesConfig: gardencorev1beta1.KubernetesConfig{FeatureGates: map[string]bool{"A": true}},
		AdmissionPlugins: []gardencorev1beta1.AdmissionPlugin{
			{Name: "ShootDNS", Disabled: ptr.To(true)}, {Name: "ShootQuotaValidator", Config: &runtime.RawExtension{Raw: []byte(`{"kind":"X"}`)}},
		},
		EncryptionConfig: &gardencorev1beta1.EncryptionConfig{Resources: []string{"shoots.core.gardener.cloud", "internalsecrets.core.gardener.cloud"}},
		Requests:         &gardencorev1beta1.APIServerRequests{MaxMutatingInflight: ptr.To[int32](7)},
	}
	gardener.AdmissionController = &operatorv1alpha1.GardenerAdmissionControllerConfig{ResourceAdmissionConfiguration: &operatorv1alpha1.ResourceAdmissionConfiguration{
		Limits: []operatorv1alpha1.ResourceLimit{{APIGroups: []string{"core.gardener.cloud"}, APIVersions: []string{"*"}, Resources: []string{"shoots"}, Size: ptr.To(resource.MustParse("1Mi"))}}, OperationMode: ptr.To("log"),
	}}
	gardener.ControllerManager = &operatorv1alpha1.GardenerControllerManagerConfig{
		LogLevel: ptr.To("debug"), DefaultProjectQuotas: []operatorv1alpha1.ProjectQuotaConfiguration{{Config: corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "quota"}}}},
	}
	gardener.Scheduler = &operatorv1alpha1.GardenerSchedulerConfig{Strategy: ptr.To("MinimalDistance")}
}

func TestGardener(t *testing.T) {
	b := newBench(t)
	b.deploy(aGarden(settings))
	t.Run("OPR-16 the API server is configured by the Garden", func(t *testing.T) {
		b.wantArgs(gardenerAPIServer, "--feature-gates=A=true", "--disable-admission-plugins=ShootDNS", "--enable-admission-plugins=ShootQuotaValidator",
			"--max-mutating-requests-inflight=7", "--admission-control-config-file=etc/gardener/admission/admission-configuration.yaml")
		document := apiserverv1.EncryptionConfiguration{}
		if err := yaml.Unmarshal(b.file(gardenerAPIServer, dirEncryption, keyEncryption), &document); err != nil {
			t.Fatal(err)
		}
		want := append(slices.Clone(encrypted), "shoots.core.gardener.cloud")
		if all := document.Resources[0].Resources; !slices.Equal(all, want) {
			t.Errorf("encrypted are %v, want %v", all, want)
		}
	})
	t.Run("OPR-16 the admission controller is configured by the Garden", func(t *testing.T) {
		config, err := admissionconfig.Decode(b.file(gardenerAdmission, dirConfig, keyConfig))
		if err != nil {
			t.Fatal(err)
		}
		if limits := config.Server.ResourceAdmissionConfiguration; limits == nil || limits.OperationMode != "log" || config.GardenClientConnection.Kubeconfig != "etc/kubernetes/access/kubeconfig" {
			t.Errorf("configuration %+v", config)
		}
		t.Setenv("POD_IP", "10.1.0.9")
		if address := config.Server.Webhooks.Address(); address != "10.1.0.9:2719" {
			t.Errorf("it listens at %s", address)
		}
	})
	t.Run("OPR-16 the controller manager is configured by the Garden", func(t *testing.T) {
		config, err := managerconfig.Decode(b.file(gardenerControllerManager, dirConfig, keyConfig))
		if err != nil {
			t.Fatal(err)
		}
		if quotas := config.Controllers.Project.Quotas; len(quotas) != 1 || quotas[0].Config.Name != "quota" || config.LogLevel != "debug" {
			t.Errorf("configuration %+v", config)
		}
	})
	t.Run("OPR-16 the scheduler is configured by the Garden", func(t *testing.T) {
		config, err := schedulerconfig.Decode(b.file(gardenerScheduler, dirConfig, keyConfig))
		if err != nil || config.Schedulers.Shoot.CandidateDeterminationStrategy != "MinimalDistance" {
			t.Errorf("%+v, %v", config, err)
		}
	})
	t.Run("OPR-36 the virtual garden is told how to reach the API server, by a certificate that it trusts", func(t *testing.T) {
		if keys := b.managed(resourceGardenerAPI); !slices.Equal(keys, []string{"ConfigMap__kube-system__registration.yaml", "Endpoints__kube-system__gardener-apiserver.yaml"}) {
			t.Errorf("objects %v", keys)
		}
		if err := parse(t, b.file(gardenerAPIServer, dirServer, "tls.crt")).VerifyHostname("gardener-apiserver.kube-system.svc"); err != nil {
			t.Error(err)
		}
	})
	t.Run("OPR-36 Endpoints do not name loopback addresses, which they refuse", func(t *testing.T) {
		service := &corev1.Service{}
		b.read(gardenerAPIServer, service)
		service.Spec.ClusterIP = "127.96.0.8"
		if err := b.Update(t.Context(), service); err != nil {
			t.Fatal(err)
		}
		b.deploy(aGarden(settings))
		if keys := b.managed(resourceGardenerAPI); len(keys) != 1 {
			t.Errorf("objects %v", keys)
		}
	})
	t.Run("gardenlets are authorized by the admission controller, and nobody else", func(t *testing.T) {
		document := apiserverv1.AuthorizationConfiguration{}
		if err := yaml.UnmarshalStrict(authorizers(b), &document); err != nil {
			t.Fatal(err)
		}
		last := document.Authorizers[len(document.Authorizers)-1]
		if last.Name != "seed-authorizer" || last.Webhook.FailurePolicy != "Deny" || !strings.Contains(last.Webhook.MatchConditions[0].Expression, "gardener.cloud:system:seeds") {
			t.Errorf("authorizers %+v", document.Authorizers)
		}
	})
}

// authorizers is the document of the API server, which shares a projected volume.
func authorizers(b *bench) []byte {
	b.Helper()
	list := &corev1.ConfigMapList{}
	if err := b.List(b.Context(), list); err != nil {
		b.Fatal(err)
	}
	for _, configMap := range list.Items {
		if strings.HasPrefix(configMap.Name, "kube-apiserver-authorization-config-") {
			return []byte(configMap.Data["authorization-configuration.yaml"])
		}
	}
	b.Fatal("no authorization configuration")
	return nil
}

func TestInert(t *testing.T) {
	t.Run("OPR-16 settings with an effect are not called inert", func(t *testing.T) {
		if fields := inert(aGarden(settings)); len(fields) > 0 {
			t.Error(fields)
		}
	})
	t.Run("a Garden hears what has no effect", func(t *testing.T) {
		garden := aGarden(func(g *operatorv1alpha1.Garden) {
			g.Spec.VirtualCluster.Kubernetes.KubeAPIServer = &operatorv1alpha1.KubeAPIServerConfig{SNI: &operatorv1alpha1.SNI{}}
			g.Spec.VirtualCluster.Gardener.Dashboard = &operatorv1alpha1.GardenerDashboardConfig{}
		})
		want := []string{"spec.virtualCluster.kubernetes.kubeAPIServer.sni", "spec.virtualCluster.gardener.gardenerDashboard"}
		if got := inert(garden); !slices.Equal(got, want) {
			t.Error(got)
		}
	})
}
