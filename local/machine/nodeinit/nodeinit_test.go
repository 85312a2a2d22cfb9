package nodeinit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	kubeletv1beta1 "k8s.io/kubelet/config/v1beta1"
	"sigs.k8s.io/yaml"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/userdata"
)

var errBoom = errors.New("boom")

func TestAdaptation(t *testing.T) {
	machine := Machine{NodeName: "node", ProviderID: "local:///ns/node", NodeIP: "172.18.0.9", KubeletMinor: 36, Binary: "/opt/gardener/bin/gardener", Containerd: "/usr/local/bin/containerd"}
	files := map[string]string{}
	for _, f := range machine.adaptation().ExtensionFiles {
		files[f.Path] = f.Content.Inline.Data
	}
	t.Run("EXT-11 the kubelet registers as its machine", func(t *testing.T) {
		for _, want := range []string{"--hostname-override=node ", "--provider-id=local:///ns/node ", "--node-ip=172.18.0.9 ", "--config-dir=/var/lib/kubelet/config.d"} {
			if !strings.Contains(files["/var/lib/kubelet/extra_args"], want) {
				t.Errorf("arguments lack %q: %s", want, files["/var/lib/kubelet/extra_args"])
			}
		}
	})
	t.Run("the disk, the swap and the kernel of the host do not matter", func(t *testing.T) {
		config := kubeletv1beta1.KubeletConfiguration{}
		if err := yaml.UnmarshalStrict([]byte(files["/var/lib/kubelet/config.d/50-container.conf"]), &config); err != nil {
			t.Fatal(err)
		}
		if config.CgroupRoot != "/kubelet" || *config.FailSwapOn || config.ProtectKernelDefaults || *config.ImageGCHighThresholdPercent != 100 || config.EvictionHard["nodefs.available"] != "0%" || *config.FailCgroupV1 {
			t.Errorf("configuration is %+v", config)
		}
		if _, set := config.EvictionHard["memory.available"]; set {
			t.Error("the memory does not matter either")
		}
	})
	t.Run("a kubelet that does not know a field does not get it", func(t *testing.T) {
		machine.KubeletMinor = 30
		if strings.Contains(machine.kubeletConfiguration(), "failCgroupV1") {
			t.Error("it has failCgroupV1")
		}
	})
	t.Run("CTR-3 programs are where the image has them, whatever the operating system is called", func(t *testing.T) {
		units := machine.adaptation().ExtensionUnits
		i := slices.IndexFunc(units, func(u extensionsv1alpha1.Unit) bool { return u.Name == "containerd.service" })
		if i < 0 || !strings.Contains(units[i].DropIns[0].Content, "ExecStart=\nExecStart=/usr/local/bin/containerd\n") {
			t.Errorf("units are %+v", units)
		}
	})
	t.Run("the system sets only what a container may", func(t *testing.T) {
		if got := files["/etc/systemd/system/systemd-sysctl.service.d/50-container.conf"]; !strings.Contains(got, "ExecStart=\nExecStart=/opt/gardener/bin/gardener component node-init sysctl\n") {
			t.Errorf("drop-in is %q", got)
		}
	})
}

func TestKubeletMinor(t *testing.T) {
	for said, want := range map[string]int{"Kubernetes v1.36.3\n": 36, "Kubernetes v1.9.0-alpha": 9, "Kubernetes": -1, "Kubernetes v1.x.3": -1} {
		got, err := kubeletMinor(said)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("minor of %q is %d, %v; want %d", said, got, err, want)
		}
	}
}

// inMachine puts a kubelet that tells its version on the PATH.
func inMachine(t *testing.T) options {
	t.Helper()
	dir := t.TempDir()
	for _, program := range []string{"kubelet", "containerd"} {
		if err := os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\necho Kubernetes v1.36.3\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	data, err := userdata.Document{
		Purpose: "provision", Files: []userdata.File{userdata.NewFile("/etc/x", 0o600, []byte("x"))}, Units: []userdata.Unit{{Name: "kubelet.service", Content: "[Service]"}},
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	o := options{userData: filepath.Join(dir, "user-data"), applied: filepath.Join(dir, "applied"), nodeName: "node", providerID: "local:///ns/node"}
	if err := os.WriteFile(o.userData, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestBoot(t *testing.T) {
	o := inMachine(t)
	var got *extensionsv1alpha1.OperatingSystemConfig
	apply := func(_ context.Context, osc *extensionsv1alpha1.OperatingSystemConfig) error { got = osc; return nil }
	t.Run("OSC-10 a new machine takes its user data", func(t *testing.T) {
		if err := o.boot(t.Context(), apply); err != nil {
			t.Fatalf("boot: %v", err)
		}
		if len(got.Spec.Files) != 1 || got.Spec.Files[0].Path != "/etc/x" || *got.Spec.Files[0].Permissions != 0o600 || len(got.Status.ExtensionFiles) == 0 {
			t.Errorf("applied %+v", got)
		}
	})
	t.Run("OSC-10 a machine with a node agent does not go back to it", func(t *testing.T) {
		if err := os.WriteFile(o.applied, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := o.boot(t.Context(), apply); err != nil {
			t.Fatalf("boot: %v", err)
		}
		if diff := cmp.Diff(extensionsv1alpha1.OperatingSystemConfigSpec{}, got.Spec); diff != "" {
			t.Errorf("applied old content:\n%s", diff)
		}
		if len(got.Status.ExtensionFiles) == 0 {
			t.Error("a changed address would not be noticed")
		}
	})
	t.Run("what cannot be applied is told", func(t *testing.T) {
		err := o.boot(t.Context(), func(context.Context, *extensionsv1alpha1.OperatingSystemConfig) error { return errBoom })
		if !errors.Is(err, errBoom) {
			t.Errorf("error is %v", err)
		}
	})
}

func TestKernelSettings(t *testing.T) {
	dir, proc := t.TempDir(), t.TempDir()
	for path, content := range map[string]string{
		filepath.Join(dir, "99-k8s-general.conf"):  "# comment\nnet.ipv4.ip_forward = 1\nkernel.panic = 10\n-net/core/somaxconn=4096\nnet.missing.dir = 1\n",
		filepath.Join(dir, "other"):                "net.ipv4.ip_forward = 0\n",
		filepath.Join(proc, "net/ipv4/ip_forward"): "0",
		filepath.Join(proc, "net/core/somaxconn"):  "128",
		filepath.Join(proc, "kernel/panic"):        "0",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := applySettings(dir, proc, logr.Discard()); err != nil {
		t.Fatalf("OSC-3 apply: %v", err)
	}
	for path, want := range map[string]string{"net/ipv4/ip_forward": "1", "net/core/somaxconn": "4096", "kernel/panic": "0"} {
		if got, _ := os.ReadFile(filepath.Join(proc, path)); string(got) != want {
			t.Errorf("OSC-3 %s is %q, want %q", path, got, want)
		}
	}
}
