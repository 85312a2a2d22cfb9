package apply_test

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
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/nodeagent/apply"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

var errBoom = errors.New("boom")

// systemd records its calls; fails is the call that fails.
type systemd struct {
	calls []string
	fails string
}

func (s *systemd) note(verb string, units ...string) error {
	call := strings.Join(append([]string{verb}, units...), " ")
	s.calls = append(s.calls, call)
	if call == s.fails {
		return errBoom
	}
	return nil
}

func (s *systemd) Reload(context.Context) error                 { return s.note("reload") }
func (s *systemd) Enable(_ context.Context, u ...string) error  { return s.note("enable", u...) }
func (s *systemd) Disable(_ context.Context, u ...string) error { return s.note("disable", u...) }
func (s *systemd) Start(_ context.Context, u ...string) error   { return s.note("start", u...) }
func (s *systemd) Restart(_ context.Context, u ...string) error { return s.note("restart", u...) }
func (s *systemd) Stop(_ context.Context, u ...string) error    { return s.note("stop", u...) }
func (s *systemd) take() []string                               { out := s.calls; s.calls = nil; return out }

// machine is a directory that stands for a machine.
type machine struct {
	*apply.Applier
	systemd *systemd
}

func newMachine(t *testing.T) machine {
	t.Helper()
	s := &systemd{}
	return machine{systemd: s, Applier: &apply.Applier{
		Root: t.TempDir(), Systemd: s, Programs: []string{"/opt/own", "/usr/bin"}, Pending: "/var/lib/agent/pending.json",
		Self: "agent.service", Log: logr.Discard(),
	}}
}

func (m machine) apply(t *testing.T, content apply.Content, before *apply.Content) apply.Result {
	t.Helper()
	result, err := m.Apply(t.Context(), content, before)
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	return result
}

func (m machine) text(path string) string {
	data, err := os.ReadFile(filepath.Join(m.Root, path))
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func file(path, content string) extensionsv1alpha1.File {
	return extensionsv1alpha1.File{Path: path, Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Data: content}}}
}

func unit(name, content string, paths ...string) extensionsv1alpha1.Unit {
	return extensionsv1alpha1.Unit{Name: name, Content: &content, FilePaths: paths, Enable: ptr.To(true)}
}

// node is a small but whole machine.
func node(kubelet string) apply.Content {
	return apply.Content{
		Files: []extensionsv1alpha1.File{file("/var/lib/kubelet/config", kubelet), file("/etc/motd", "hello")},
		Units: []extensionsv1alpha1.Unit{
			{Name: "containerd.service", DropIns: []extensionsv1alpha1.DropIn{{Name: "10.conf", Content: "[Service]\n"}}},
			unit("kubelet.service", "[Service]\nExecStart=/opt/bin/kubelet\n", "/var/lib/kubelet/config"),
		},
	}
}

func TestApply(t *testing.T) {
	m := newMachine(t)
	t.Run("OSC-2 a new machine gets everything", func(t *testing.T) {
		m.apply(t, node("one"), nil)
		want := []string{"reload", "enable kubelet.service", "restart containerd.service kubelet.service"}
		if diff := cmp.Diff(want, m.systemd.take()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if m.text("/var/lib/kubelet/config") != "one" || m.text("/etc/systemd/system/containerd.service.d/10.conf") != "[Service]\n" {
			t.Error("files are missing")
		}
	})
	t.Run("nothing is restarted that did not change", func(t *testing.T) {
		before := node("one")
		result := m.apply(t, node("one"), &before)
		if diff := cmp.Diff([]string{"enable kubelet.service", "start containerd.service kubelet.service"}, m.systemd.take()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if len(result.Changed)+len(result.Restarted) > 0 {
			t.Errorf("result is %+v", result)
		}
	})
	t.Run("OSC-2 a changed file restarts the unit that names it", func(t *testing.T) {
		before := node("one")
		result := m.apply(t, node("two"), &before)
		if diff := cmp.Diff([]string{"kubelet.service"}, result.Restarted); diff != "" {
			t.Errorf("restarted (-want +got):\n%s", diff)
		}
		if calls := m.systemd.take(); slices.Contains(calls, "reload") {
			t.Errorf("systemd was reloaded for a file that it does not read: %v", calls)
		}
	})
	t.Run("changes on the machine are reverted", func(t *testing.T) {
		if err := os.WriteFile(filepath.Join(m.Root, "/var/lib/kubelet/config"), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		before := node("two")
		m.apply(t, node("two"), &before)
		if m.text("/var/lib/kubelet/config") != "two" || !slices.Contains(m.systemd.take(), "restart kubelet.service") {
			t.Error("the file was left as it was, or the unit was not restarted")
		}
	})
	t.Run("OSC-2 what vanished is removed", func(t *testing.T) {
		before, now := node("two"), node("two")
		now.Files, now.Units = now.Files[:1], now.Units[1:]
		m.apply(t, now, &before)
		for _, path := range []string{"/etc/motd", "/etc/systemd/system/containerd.service.d/10.conf"} {
			if _, err := os.Stat(filepath.Join(m.Root, path)); !os.IsNotExist(err) {
				t.Errorf("%s is still there: %v", path, err)
			}
		}
		calls := m.systemd.take()
		if !slices.Contains(calls, "reload") || slices.Contains(calls, "stop containerd.service") {
			t.Errorf("systemd does not know, or a unit of the system was stopped: %v", calls)
		}
		before, now = now, apply.Content{}
		m.apply(t, now, &before)
		if calls := m.systemd.take(); !slices.Contains(calls, "stop kubelet.service") || !slices.Contains(calls, "disable kubelet.service") {
			t.Errorf("a unit of ours still runs: %v", calls)
		}
	})
}

func TestApplyIsCompletedAfterAnInterruption(t *testing.T) {
	m := newMachine(t)
	m.apply(t, node("one"), nil)
	before := node("one")
	m.systemd.fails = "restart kubelet.service"
	if _, err := m.Apply(t.Context(), node("two"), &before); !errors.Is(err, errBoom) {
		t.Fatalf("error is %v", err)
	}
	m.systemd.fails, m.systemd.calls = "", nil
	if got := m.apply(t, node("two"), &before).Restarted; !slices.Contains(got, "kubelet.service") {
		t.Errorf("OSC-2 the file is there, but the unit was never restarted: %v", got)
	}
	if got := m.apply(t, node("two"), &before).Restarted; len(got) > 0 {
		t.Errorf("units are restarted again and again: %v", got)
	}
}

func TestTheCallersOwnUnitIsLeftToTheCaller(t *testing.T) {
	m := newMachine(t)
	content := apply.Content{Units: []extensionsv1alpha1.Unit{unit("agent.service", "[Service]\n")}}
	if result := m.apply(t, content, nil); !result.Self {
		t.Error("the caller does not learn that its unit has changed")
	}
	if calls := m.systemd.take(); slices.Contains(calls, "restart agent.service") || slices.Contains(calls, "start agent.service") {
		t.Errorf("the caller was restarted in the middle of its work: %v", calls)
	}
	if result := m.apply(t, content, nil); result.Self {
		t.Error("the caller is asked to restart again and again")
	}
}

func TestFiles(t *testing.T) {
	m := newMachine(t)
	if err := os.MkdirAll(filepath.Join(m.Root, "/usr/bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(m.Root, "/usr/bin/kubelet"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	mode := uint32(0o600)
	secret := file("/etc/secret", "c2VjcmV0")
	secret.Permissions, secret.Content.Inline.Encoding = &mode, "b64"
	program := extensionsv1alpha1.File{Path: "/opt/bin/kubelet", Content: extensionsv1alpha1.FileContent{
		ImageRef: &extensionsv1alpha1.FileContentImageRef{Image: "hyperkube:v1", FilePathInImage: "/kubelet"},
	}}
	m.apply(t, apply.Content{Files: []extensionsv1alpha1.File{secret, program, file("/../../outside", "x")}}, nil)
	t.Run("OSC-4 content is decoded and permissions are applied", func(t *testing.T) {
		info, err := os.Stat(filepath.Join(m.Root, "/etc/secret"))
		if err != nil || info.Mode().Perm() != 0o600 || m.text("/etc/secret") != "secret" {
			t.Errorf("file is %v, %q, %v", info, m.text("/etc/secret"), err)
		}
	})
	t.Run("a program that the machine has is linked", func(t *testing.T) {
		if target, err := os.Readlink(filepath.Join(m.Root, "/opt/bin/kubelet")); err != nil || target != "/usr/bin/kubelet" {
			t.Errorf("link leads to %q, %v", target, err)
		}
	})
	t.Run("no path leads out of the machine", func(t *testing.T) {
		if m.text("/outside") != "x" {
			t.Error("the file is somewhere else")
		}
	})
	t.Run("a program that the machine lacks is fetched", func(t *testing.T) {
		program.Content.ImageRef.FilePathInImage = "/other"
		if _, err := m.Apply(t.Context(), apply.Content{Files: []extensionsv1alpha1.File{program}}, nil); err == nil || !strings.Contains(err.Error(), "other is in no directory of") {
			t.Errorf("error is %v", err)
		}
		m.Extract = func(_ context.Context, image, path string) (string, error) { return "/images/" + image + path, nil }
		m.apply(t, apply.Content{Files: []extensionsv1alpha1.File{program}}, nil)
		if target, _ := os.Readlink(filepath.Join(m.Root, "/opt/bin/kubelet")); target != "/images/hyperkube:v1/other" {
			t.Errorf("link leads to %q", target)
		}
	})
	t.Run("OSC-4 an unresolved reference is an error", func(t *testing.T) {
		ref := extensionsv1alpha1.File{Path: "/x", Content: extensionsv1alpha1.FileContent{SecretRef: &extensionsv1alpha1.FileContentSecretRef{Name: "s"}}}
		if _, err := m.Apply(t.Context(), apply.Content{Files: []extensionsv1alpha1.File{ref}}, nil); err == nil {
			t.Error("there is no error")
		}
	})
}

func TestContainerd(t *testing.T) {
	m := newMachine(t)
	config := &extensionsv1alpha1.CRIConfig{Name: extensionsv1alpha1.CRINameContainerD}
	content := apply.Content{CRI: config, Units: []extensionsv1alpha1.Unit{{Name: "containerd.service"}}}
	t.Run("OSC-5 OSC-9 containerd is configured and restarted once", func(t *testing.T) {
		if got := m.apply(t, content, nil).Restarted; !slices.Equal(got, []string{"containerd.service"}) {
			t.Errorf("restarted %v", got)
		}
		text := m.text("/etc/containerd/config.toml")
		if !strings.Contains(text, `config_path = "/etc/containerd/certs.d"`) || !strings.Contains(text, `imports = ["/etc/containerd/conf.d/*.toml"]`) {
			t.Errorf("configuration:\n%s", text)
		}
		if got := m.apply(t, content, &content).Restarted; len(got) > 0 {
			t.Errorf("restarted again: %v", got)
		}
	})
	t.Run("OSC-6 a mirror needs no restart, and goes", func(t *testing.T) {
		with := content
		with.CRI = config.DeepCopy()
		with.CRI.Containerd = &extensionsv1alpha1.ContainerdConfig{Registries: []extensionsv1alpha1.RegistryConfig{{
			Upstream: "docker.io", Server: ptr.To("https://registry-1.docker.io"), Hosts: []extensionsv1alpha1.RegistryHost{{URL: "https://mirror.example"}},
		}}}
		if got := m.apply(t, with, &content).Restarted; len(got) > 0 {
			t.Errorf("restarted %v", got)
		}
		want := "server = \"https://registry-1.docker.io\"\n\n[host.\"https://mirror.example\"]\n  capabilities = [\"pull\", \"resolve\"]\n"
		if diff := cmp.Diff(want, m.text("/etc/containerd/certs.d/docker.io/hosts.toml")); diff != "" {
			t.Errorf("hosts.toml (-want +got):\n%s", diff)
		}
		m.apply(t, content, &with)
		if _, err := os.Stat(filepath.Join(m.Root, "/etc/containerd/certs.d/docker.io/hosts.toml")); !os.IsNotExist(err) {
			t.Errorf("the mirror is still there: %v", err)
		}
	})
}

func TestContainerdOfOldMachines(t *testing.T) {
	m := newMachine(t)
	const old = "version = 2 # as somebody wrote it\n"
	path := filepath.Join(m.Root, "/etc/containerd/config.toml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(old), 0o600)); err != nil {
		t.Fatal(err)
	}
	content := apply.Content{
		CRI: &extensionsv1alpha1.CRIConfig{Name: extensionsv1alpha1.CRINameContainerD}, Units: []extensionsv1alpha1.Unit{{Name: "containerd.service"}},
	}
	t.Run("OSC-10 the configuration of a machine that exists is not touched", func(t *testing.T) {
		result := m.apply(t, content, &apply.Content{})
		if info, err := os.Stat(path); err != nil || m.text("/etc/containerd/config.toml") != old || info.Mode().Perm() != 0o600 || len(result.Restarted) > 0 {
			t.Errorf("configuration is %q, restarted %v, %v", m.text("/etc/containerd/config.toml"), result.Restarted, err)
		}
	})
	t.Run("OSC-10 a machine that lost it begins again", func(t *testing.T) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if m.apply(t, content, &content); !strings.Contains(m.text("/etc/containerd/config.toml"), "imports") {
			t.Errorf("configuration is %q", m.text("/etc/containerd/config.toml"))
		}
	})
}

func TestContentOf(t *testing.T) {
	osc := &extensionsv1alpha1.OperatingSystemConfig{}
	osc.Spec.Files = []extensionsv1alpha1.File{file("/a", "base"), file("/b", "other host"), file("/c", "base")}
	osc.Spec.Files[1].HostName = ptr.To("other")
	osc.Spec.Units = []extensionsv1alpha1.Unit{unit("kubelet.service", "base", "/a")}
	osc.Status.ExtensionFiles = []extensionsv1alpha1.File{file("/a", "extension"), file("/d", "extension")}
	osc.Status.ExtensionUnits = []extensionsv1alpha1.Unit{
		{Name: "kubelet.service", DropIns: []extensionsv1alpha1.DropIn{{Name: "x.conf"}}, FilePaths: []string{"/d"}}, unit("new.service", "new"),
	}
	want := apply.Content{
		Files: []extensionsv1alpha1.File{file("/a", "extension"), file("/c", "base"), file("/d", "extension")},
		Units: []extensionsv1alpha1.Unit{unit("kubelet.service", "base", "/a", "/d"), unit("new.service", "new")},
	}
	want.Units[0].DropIns = []extensionsv1alpha1.DropIn{{Name: "x.conf"}}
	if diff := cmp.Diff(want, apply.ContentOf(osc, "this")); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}
