package operatingsystemconfig

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testskip"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// asked is a content for which a command is asked, as a gardenlet until v1.96 does.
func asked(osType string) *extensionsv1alpha1.OperatingSystemConfigSpec {
	return &extensionsv1alpha1.OperatingSystemConfigSpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: osType}, Purpose: extensionsv1alpha1.OperatingSystemConfigPurposeReconcile,
		ReloadConfigFilePath: ptr.To("/var/lib/cloud-config-downloader/downloads/cloud_config"),
		Files: []extensionsv1alpha1.File{
			{Path: "/etc/b", Permissions: ptr.To[uint32](0o600), Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Encoding: "b64", Data: "AP8="}}},
			{Path: "/etc/an apostrophe'", Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Data: "END\n$HOME `id`\n"}}},
			{Path: "/etc/secret", Content: extensionsv1alpha1.FileContent{SecretRef: &extensionsv1alpha1.FileContentSecretRef{Name: "s", DataKey: "k"}}},
		},
		Units: []extensionsv1alpha1.Unit{
			{
				Name: "kubelet.service", Command: ptr.To(extensionsv1alpha1.CommandRestart), Enable: ptr.To(true), Content: ptr.To("[Service]\nExecStart=/opt/bin/kubelet\n"),
				DropIns: []extensionsv1alpha1.DropIn{{Name: "10.conf", Content: "[Unit]\n"}},
			},
			{Name: "docker.service", Command: ptr.To(extensionsv1alpha1.CommandStop), Enable: ptr.To(false)},
		},
	}
}

func TestReload(t *testing.T) {
	const path = "/var/lib/cloud-config-downloader/downloads/cloud_config"
	for osType, tc := range map[string]struct{ command, begin string }{
		"local":      {"/usr/bin/env bash " + path, "#!/usr/bin/env bash\n"},
		"ubuntu":     {"/usr/bin/env bash " + path, "#!/usr/bin/env bash\n"},
		"coreos":     {"/usr/bin/coreos-cloudinit --from-file=" + path, "#cloud-config\n"},
		"suse-chost": {"/usr/bin/cloud-init --file " + path + " single -n write_files --frequency=once", "#cloud-config\n"},
	} {
		t.Run("EXT-9 EXT-10 the result of "+osType+" is what the command of the status reads", func(t *testing.T) {
			spec, status := asked(osType), &extensionsv1alpha1.OperatingSystemConfigStatus{}
			data, err := render(spec, secrets)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(data), tc.begin) {
				t.Errorf("result begins with %.30q", data)
			}
			report(status, spec)
			if status.Command == nil || *status.Command != tc.command {
				t.Errorf("command is %v", status.Command)
			}
			if !slices.Equal(status.Units, []string{"kubelet.service", "docker.service"}) || !slices.Equal(status.Files, []string{"/etc/b", "/etc/an apostrophe'", "/etc/secret"}) {
				t.Errorf("units are %v, files %v", status.Units, status.Files)
			}
			spec.ReloadConfigFilePath = nil
			if report(status, spec); status.Command != nil || status.Units != nil || status.Files != nil {
				t.Errorf("nothing is asked for, and the status says %+v", status)
			}
		})
	}
	t.Run("EXT-9 a file of an image is the caller's problem", func(t *testing.T) {
		spec := asked("ubuntu")
		spec.Files[0].Content = extensionsv1alpha1.FileContent{ImageRef: &extensionsv1alpha1.FileContentImageRef{Image: "a", FilePathInImage: "/b"}}
		if _, err := render(spec, secrets); !contract.IsPermanent(err) || !strings.Contains(err.Error(), "/etc/b") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("EXT-10 a path of several words stays one argument", func(t *testing.T) {
		spec, status := asked("ubuntu"), &extensionsv1alpha1.OperatingSystemConfigStatus{}
		spec.ReloadConfigFilePath = ptr.To("/a; reboot 'now'")
		if report(status, spec); *status.Command != `/usr/bin/env bash '/a; reboot '\''now'\'''` {
			t.Errorf("command is %s", *status.Command)
		}
	})
}

func TestCloudConfigs(t *testing.T) {
	rendered := func(t *testing.T, osType string) cloudInit {
		t.Helper()
		data, err := render(asked(osType), secrets)
		if err != nil {
			t.Fatal(err)
		}
		out := cloudInit{}
		if err := yaml.UnmarshalStrict(data, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	files := func(c cloudInit) map[string]cloudFile {
		out := map[string]cloudFile{}
		for _, f := range c.WriteFiles {
			out[f.Path] = f
		}
		return out
	}
	t.Run("EXT-10 CoreOS has units of its own", func(t *testing.T) {
		got := rendered(t, "coreos")
		if f := files(got); len(f) != 3 || f["/etc/b"].Permissions != "0600" || f["/etc/b"].Encoding != "b64" || f["/etc/b"].Content != "AP8=" || f["/etc/secret"].Content != "secret content" {
			t.Errorf("files are %+v", f)
		}
		units := got.CoreOS.Units
		if len(units) != 2 || units[0].Name != "docker.service" || units[0].Enable || units[0].Command != "stop" {
			t.Fatalf("units are %+v", units)
		}
		if kubelet := units[1]; !kubelet.Enable || kubelet.Command != "restart" || !strings.Contains(kubelet.Content, "ExecStart") || kubelet.DropIns[0].Name != "10.conf" {
			t.Errorf("unit is %+v", kubelet)
		}
	})
	t.Run("EXT-10 SUSE has units among the files, which the command writes", func(t *testing.T) {
		got := rendered(t, "suse-chost")
		f := files(got)
		if len(f) != 5 || !strings.Contains(f["/etc/systemd/system/kubelet.service"].Content, "ExecStart") || f["/etc/systemd/system/kubelet.service.d/10.conf"].Content != "[Unit]\n" {
			t.Errorf("files are %+v", f)
		}
		var commands []string
		for _, c := range got.RunCommand {
			commands = append(commands, strings.Join(c, " "))
		}
		if want := wantedCommands("systemctl "); !slices.Equal(commands, want) {
			t.Errorf("commands are %q, want %q", commands, want)
		}
	})
}

func wantedCommands(prefix string) []string {
	var out []string
	for _, command := range []string{"daemon-reload", "disable docker.service", "stop docker.service", "enable kubelet.service", "restart kubelet.service"} {
		out = append(out, prefix+command)
	}
	return out
}

// TestScript runs what machines with bash run, with another root and a systemctl that notes its arguments.
func TestScript(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		testskip.OutsideCI(t, err)
	}
	root := t.TempDir()
	notes := filepath.Join(root, "notes")
	if err := os.WriteFile(filepath.Join(root, "systemctl"), []byte("#!"+bash+"\necho \"$*\" >>"+notes+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := render(asked("ubuntu"), secrets)
	if err != nil {
		t.Fatal(err)
	}
	stored := filepath.Join(root, "cloud_config")
	if err := os.WriteFile(stored, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // it is applied again whenever it changes
		_ = os.Remove(notes)
		run := exec.CommandContext(t.Context(), bash, stored)
		run.Env = append(os.Environ(), "MACHINE_ROOT="+root, "PATH="+root+":"+os.Getenv("PATH"))
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("EXT-10 the script fails: %v\n%s", err, out)
		}
	}
	for path, want := range map[string]string{
		"/etc/b": "\x00\xff", "/etc/an apostrophe'": "END\n$HOME `id`\n", "/etc/secret": "secret content",
		"/etc/systemd/system/kubelet.service": "[Service]\nExecStart=/opt/bin/kubelet\n", "/etc/systemd/system/kubelet.service.d/10.conf": "[Unit]\n",
		"/notes": strings.Join(wantedCommands(""), "\n") + "\n",
	} {
		if got, err := os.ReadFile(root + path); err != nil || string(got) != want {
			t.Errorf("EXT-10 %s contains %q, want %q; %v", path, got, want, err)
		}
	}
	if info, err := os.Stat(root + "/etc/b"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("EXT-10 the mode is %v, %v", info, err)
	}
}
