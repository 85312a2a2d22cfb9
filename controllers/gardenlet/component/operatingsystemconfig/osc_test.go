package operatingsystemconfig

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeletv1beta1 "k8s.io/kubelet/config/v1beta1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/nodeagent/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testwait"
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
	if Key(worker, "1.36.3", false) != Key(worker, "1.36.4", false) {
		t.Error("a patch version replaces machines")
	}
	if Key(worker, "1.36.3", false) == Key(worker, "1.35.3", false) {
		t.Error("a minor version does not replace machines")
	}
	if Key(worker, "1.33.9", false) == Key(worker, "1.33.9", true) {
		t.Error("switching the DNS cache on does not replace machines of 1.33")
	}
	if Key(worker, "1.34.0", false) != Key(worker, "1.34.0", true) {
		t.Error("switching the DNS cache on replaces machines of 1.34")
	}
}

func unitsOf(osc *extensionsv1alpha1.OperatingSystemConfig) map[string]extensionsv1alpha1.Unit {
	out := map[string]extensionsv1alpha1.Unit{}
	for _, unit := range osc.Spec.Units {
		out[unit.Name] = unit
	}
	return out
}

func TestMachineContent(t *testing.T) {
	v := values()
	v.Worker.CRI = &gardencorev1beta1.CRI{Name: gardencorev1beta1.CRINameContainerD, ContainerRuntimes: []gardencorev1beta1.ContainerRuntime{{Type: "gvisor"}}}
	provision, reconcile, err := Objects(v)
	if err != nil {
		t.Fatal(err)
	}
	files, units := contents(reconcile), unitsOf(reconcile)
	kubelet := *units["kubelet.service"].Content
	t.Run("OSC-3 services are restarted and watched, the kernel is set", func(t *testing.T) {
		if !strings.Contains(kubelet, "Restart=always") || !strings.Contains(kubelet, "RestartSec=10") {
			t.Errorf("kubelet.service:\n%s", kubelet)
		}
		for _, name := range []string{"containerd.service", "kubelet-monitor.service", "containerd-monitor.service", "gardener-node-agent.service"} {
			if _, ok := units[name]; !ok {
				t.Errorf("there is no %s", name)
			}
		}
		sysctl := files["/etc/sysctl.d/99-k8s-general.conf"]
		if !strings.Contains(sysctl, "vm.max_map_count = 135217728") || !strings.Contains(sysctl, "kernel.softlockup_panic = 1") {
			t.Errorf("kernel settings:\n%s", sysctl)
		}
	})
	t.Run("OSC-2 a changed file restarts the service that reads it", func(t *testing.T) {
		for unit, path := range map[string]string{
			"kubelet.service": "/var/lib/kubelet/config/kubelet", "systemd-sysctl.service": "/etc/sysctl.d/99-k8s-general.conf", "gardener-node-agent.service": "/var/lib/gardener-node-agent/config.yaml",
		} {
			if !slices.Contains(units[unit].FilePaths, path) {
				t.Errorf("%s does not name %s", unit, path)
			}
			if _, ok := files[path]; !ok {
				t.Errorf("there is no file %s", path)
			}
		}
	})
	t.Run("CTR-2 the kubelet uses containerd, which is configured", func(t *testing.T) {
		if !strings.Contains(kubelet, "--container-runtime-endpoint=unix:///run/containerd/containerd.sock") {
			t.Errorf("kubelet.service:\n%s", kubelet)
		}
		if reconcile.Spec.CRIConfig == nil || reconcile.Spec.CRIConfig.Name != "containerd" || provision.Spec.CRIConfig == nil {
			t.Errorf("configuration of containerd is %+v", reconcile.Spec.CRIConfig)
		}
	})
	t.Run("CTR-8 containerd finds the programs of further runtimes", func(t *testing.T) {
		if !slices.ContainsFunc(units["containerd.service"].DropIns, func(d extensionsv1alpha1.DropIn) bool {
			return strings.Contains(d.Content, "PATH=/var/bin/containerruntimes:") && strings.Contains(d.Content, ":/usr/local/bin:")
		}) {
			t.Errorf("drop-ins are %+v", units["containerd.service"].DropIns)
		}
	})
	t.Run("CTR-4 it is containerd that is watched, and its logs are rotated", func(t *testing.T) {
		monitor := units["containerd-monitor.service"]
		if monitor.Content == nil || !strings.Contains(*monitor.Content, "ExecStart=/opt/bin/health-monitor containerd") || !ptr.Deref(monitor.Enable, false) {
			t.Errorf("the monitor is %+v", monitor)
		}
		if _, ok := units["docker-monitor.service"]; ok {
			t.Error("docker is watched, too")
		}
		if got := decode(t, files["/var/lib/kubelet/config/kubelet"]); got.ContainerLogMaxSize != "100Mi" || len(got.FeatureGates) > 0 {
			t.Errorf("logs grow to %q, feature gates are %v", got.ContainerLogMaxSize, got.FeatureGates)
		}
		old := values()
		old.Version = "1.20.15"
		old.Kubelet = &gardencorev1beta1.KubeletConfig{KubernetesConfig: gardencorev1beta1.KubernetesConfig{FeatureGates: map[string]bool{"A": true}}}
		raw, err := kubeletConfiguration(old)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]bool{"A": true, "CRIContainerLogRotation": true}, decode(t, string(raw)).FeatureGates); diff != "" {
			t.Errorf("feature gates of an old kubelet (-want +got):\n%s", diff)
		}
	})
	t.Run("CTR-7 nodes are labelled per runtime of their pool", func(t *testing.T) {
		if !strings.Contains(kubelet, "containerruntime.worker.gardener.cloud/gvisor=true,container.runtime.gvisor=true") {
			t.Errorf("kubelet.service:\n%s", kubelet)
		}
		_, plain, err := Objects(values())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(*unitsOf(plain)["kubelet.service"].Content, "containerruntime.worker") {
			t.Error("a pool without runtimes has the label, too")
		}
	})
	t.Run("NOD-1 new nodes carry a taint", func(t *testing.T) {
		if !strings.Contains(kubelet, "--register-with-taints=node.gardener.cloud/critical-components-not-ready:NoSchedule") {
			t.Errorf("kubelet.service:\n%s", kubelet)
		}
	})
	t.Run("OSC-1 the node agent begins with a token that it does not keep", func(t *testing.T) {
		const path = "/var/lib/gardener-node-agent/credentials/bootstrap-token"
		if _, kept := contents(reconcile)[path]; kept || contents(provision)[path] != "abcdef.secret" {
			t.Errorf("token is %q, kept: %v", contents(provision)[path], kept)
		}
		cfg, err := config.Decode([]byte(files["/var/lib/gardener-node-agent/config.yaml"]))
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Controllers.OperatingSystemConfig.SecretName != v.key() || cfg.APIServer.Server != "https://api.sun:8443" {
			t.Errorf("configuration is %+v", cfg)
		}
	})
}

func TestAgentSecret(t *testing.T) {
	osc := &extensionsv1alpha1.OperatingSystemConfig{}
	osc.Spec.Files = []extensionsv1alpha1.File{{Path: "/x", Content: extensionsv1alpha1.FileContent{SecretRef: &extensionsv1alpha1.FileContentSecretRef{Name: "s", DataKey: "k"}}}}
	osc.Status.ExtensionFiles = []extensionsv1alpha1.File{file("/y", 0o600, []byte{0xff})}
	secret, err := AgentSecret("ray", "key", osc, func(name, key string) ([]byte, error) { return []byte(name + "/" + key), nil })
	if err != nil {
		t.Fatal(err)
	}
	var got extensionsv1alpha1.OperatingSystemConfig
	if err := yaml.UnmarshalStrict(secret.Data["osc.yaml"], &got); err != nil {
		t.Fatal(err)
	}
	if secret.Namespace != "kube-system" || secret.Labels["gardener.cloud/role"] != "operating-system-config" || secret.Labels["worker.gardener.cloud/pool"] != "ray" {
		t.Errorf("OSC-1 node agents do not find it: %+v", secret.ObjectMeta)
	}
	if got.Spec.Files[0].Content.SecretRef != nil || got.Spec.Files[0].Content.Inline.Data != "s/k" {
		t.Errorf("OSC-4 the reference was not resolved: %+v", got.Spec.Files[0])
	}
	if len(got.Status.ExtensionFiles) != 1 || got.Status.ExtensionFiles[0].Content.Inline.Encoding != "b64" {
		t.Errorf("EXT-9 what the extension adds is lost: %+v", got.Status)
	}
}

// TestHealthMonitor runs the script against programs that stand for those of a machine.
func TestHealthMonitor(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"ctr":            "#!/bin/sh\necho >>" + dir + "/asked\ntest -e " + dir + "/healthy\n",
		"systemctl":      "#!/bin/sh\necho \"$@\" >>" + dir + "/restarted\n",
		"health-monitor": monitorScript,
		"healthy":        "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "health-monitor"), "containerd")
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HEALTH_MONITOR_INTERVAL=0.05")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	restarted := func() string {
		data, _ := os.ReadFile(filepath.Join(dir, "restarted"))
		return strings.TrimSpace(string(data))
	}
	// await waits until the monitor has asked the service so many times more.
	await := func(more int) {
		t.Helper()
		asked := func() int {
			data, _ := os.ReadFile(filepath.Join(dir, "asked"))
			return len(data)
		}
		want := asked() + more
		testwait.For(t, 30*time.Second, "OSC-3 the monitor asks", func() error {
			if got := asked(); got < want {
				return fmt.Errorf("%d times, want %d", got, want)
			}
			return nil
		})
	}
	await(6) // it restarts after four failures
	if got := restarted(); got != "" {
		t.Errorf("OSC-3 a healthy service was restarted: %s", got)
	}
	if err := os.Remove(filepath.Join(dir, "healthy")); err != nil {
		t.Fatal(err)
	}
	await(10) // two times what a restart takes, but it is not restarted again before it has answered
	if got := restarted(); got != "restart containerd.service" {
		t.Errorf("OSC-3 the monitor ran %q", got)
	}
	cancel()
	_ = cmd.Wait() // killed
}
