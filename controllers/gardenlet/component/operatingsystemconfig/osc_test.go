package operatingsystemconfig

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeletv1beta1 "k8s.io/kubelet/config/v1beta1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

func values() Values {
	return Values{
		Namespace: "shoot--sky--sun", Version: "1.36.3", APIServer: "https://api.sun:8443", CA: []byte("CA"), KubeletCA: []byte("KUBELET"), BootstrapToken: "abcdef.secret", ClusterDNS: "100.64.0.10",
		Worker: gardencorev1beta1.Worker{Name: "ray", Machine: gardencorev1beta1.Machine{Image: &gardencorev1beta1.ShootMachineImage{Name: "local"}}},
	}
}

func contents(osc *extensionsv1alpha1.OperatingSystemConfig) map[string]string {
	out := map[string]string{}
	for _, f := range osc.Spec.Files {
		if f.Content.Inline != nil {
			out[f.Path] = f.Content.Inline.Data
		} else {
			out[f.Path] = "from " + f.Content.ImageRef.Image
		}
	}
	return out
}

func TestObjects(t *testing.T) {
	provision, reconcile, err := Objects(values())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("EXT-9 a pool has one to boot from and one for running machines", func(t *testing.T) {
		if provision.Spec.Purpose != "provision" || reconcile.Spec.Purpose != "reconcile" || provision.Spec.Type != "local" ||
			!strings.HasSuffix(provision.Name, "-init") || strings.TrimSuffix(provision.Name, "-init") != strings.TrimSuffix(reconcile.Name, "-original") {
			t.Errorf("%s: %s, %s: %s", provision.Name, provision.Spec.Purpose, reconcile.Name, reconcile.Spec.Purpose)
		}
	})
	t.Run("a machine boots with a token and does not keep it", func(t *testing.T) {
		if !strings.Contains(contents(provision)["/var/lib/kubelet/kubeconfig-bootstrap"], "abcdef.secret") {
			t.Error("there is no bootstrap kubeconfig with the token")
		}
		if _, kept := contents(reconcile)["/var/lib/kubelet/kubeconfig-bootstrap"]; kept {
			t.Error("running machines get the token, too")
		}
	})
	t.Run("ARC-7 machines reach their API server by its public address", func(t *testing.T) {
		if !strings.Contains(contents(provision)["/var/lib/kubelet/kubeconfig-bootstrap"], `"server": "https://api.sun:8443"`) {
			t.Errorf("bootstrap kubeconfig:\n%s", contents(provision)["/var/lib/kubelet/kubeconfig-bootstrap"])
		}
	})
	t.Run("API-5 machines trust the bundle of the CloudProfile and the one of their pool", func(t *testing.T) {
		v := values()
		v.CABundle, v.Worker.CABundle = ptr.To("PROFILE"), ptr.To("POOL")
		provision, reconcile, err := Objects(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, files := range []map[string]string{contents(provision), contents(reconcile)} {
			if files["/etc/ssl/certs/cloudprofile-ca-bundle.crt"] != "PROFILE" || files["/etc/ssl/certs/worker-ca-bundle.crt"] != "POOL" {
				t.Errorf("files: %v", files)
			}
		}
	})
	t.Run("the kubelet trusts its own CA and asks for a certificate", func(t *testing.T) {
		config := decode(t, contents(reconcile)["/var/lib/kubelet/config/kubelet"])
		if config.Authentication.X509.ClientCAFile != "/var/lib/kubelet/ca.crt" || contents(reconcile)["/var/lib/kubelet/ca.crt"] != "KUBELET" || !config.ServerTLSBootstrap || !config.RotateCertificates {
			t.Errorf("configuration: %+v", config)
		}
	})
}

func decode(t *testing.T, raw string) kubeletv1beta1.KubeletConfiguration {
	t.Helper()
	var out kubeletv1beta1.KubeletConfiguration
	if err := yaml.UnmarshalStrict([]byte(raw), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestKubeletConfiguration(t *testing.T) {
	v := values()
	v.Kubelet = &gardencorev1beta1.KubeletConfig{
		KubernetesConfig: gardencorev1beta1.KubernetesConfig{FeatureGates: map[string]bool{"A": true}},
		CPUCFSQuota:      ptr.To(false), CPUManagerPolicy: ptr.To("static"), PodPIDsLimit: ptr.To[int64](200), MaxPods: ptr.To[int32](50),
		EvictionHard:            &gardencorev1beta1.KubeletConfigEviction{MemoryAvailable: ptr.To("200Mi")},
		EvictionSoftGracePeriod: &gardencorev1beta1.KubeletConfigEvictionSoftGracePeriod{MemoryAvailable: &metav1.Duration{Duration: time.Minute}},
		KubeReserved:            &gardencorev1beta1.KubeletConfigReserved{CPU: ptr.To(resource.MustParse("1"))},
	}
	raw, err := kubeletConfiguration(v)
	if err != nil {
		t.Fatal(err)
	}
	got := decode(t, string(raw))
	t.Run("API-21 what the Shoot says becomes configuration", func(t *testing.T) {
		if *got.CPUCFSQuota || got.CPUManagerPolicy != "static" || *got.PodPidsLimit != 200 || got.MaxPods != 50 || !got.FeatureGates["A"] {
			t.Errorf("configuration:\n%s", raw)
		}
	})
	t.Run("a threshold that is changed leaves the others", func(t *testing.T) {
		want := map[string]string{"memory.available": "200Mi", "imagefs.available": "5%", "imagefs.inodesFree": "5%", "nodefs.available": "5%", "nodefs.inodesFree": "5%"}
		if diff := cmp.Diff(want, got.EvictionHard); diff != "" {
			t.Errorf("thresholds (-want +got):\n%s", diff)
		}
		if got.EvictionSoftGracePeriod["memory.available"] != "1m0s" || got.EvictionSoftGracePeriod["nodefs.available"] != "1m30s" {
			t.Errorf("grace periods: %v", got.EvictionSoftGracePeriod)
		}
	})
	t.Run("reserved resources replace the defaults", func(t *testing.T) {
		if diff := cmp.Diff(map[string]string{"cpu": "1"}, got.KubeReserved); diff != "" {
			t.Errorf("reserved (-want +got):\n%s", diff)
		}
	})
}

func TestKey(t *testing.T) {
	worker := gardencorev1beta1.Worker{Name: "ray"}
	if Key(worker, "1.36.3") != Key(worker, "1.36.4") {
		t.Error("a patch version replaces machines")
	}
	if Key(worker, "1.36.3") == Key(worker, "1.35.3") {
		t.Error("a minor version does not replace machines")
	}
}
