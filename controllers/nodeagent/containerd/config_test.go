package containerd_test

import (
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/nodeagent/containerd"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

type table = map[string]any

func TestMerge(t *testing.T) {
	const cri = "io.containerd.grpc.v1.cri"
	remove := extensionsv1alpha1.RemovePluginPathOperation
	for name, tc := range map[string]struct {
		current string
		cri     *extensionsv1alpha1.CRIConfig
		want    table
	}{
		"OSC-5 OSC-9 a machine without a configuration": {
			want: table{
				"version": int64(2), "imports": []any{"/etc/containerd/conf.d/*.toml"},
				"plugins": table{cri: table{"registry": table{"config_path": "/etc/containerd/certs.d"}}},
			},
		},
		"what the image says about other things stays": {
			current: "version = 2\nimports = [\"/own.toml\"]\n[plugins.\"io.containerd.grpc.v1.cri\"]\nsandbox_image = \"pause:1\"\n[proxy_plugins.x]\naddress = \"/s\"\n",
			want: table{
				"version": int64(2), "imports": []any{"/own.toml", "/etc/containerd/conf.d/*.toml"}, "proxy_plugins": table{"x": table{"address": "/s"}},
				"plugins": table{cri: table{"sandbox_image": "pause:1", "registry": table{"config_path": "/etc/containerd/certs.d"}}},
			},
		},
		"OSC-7 the deprecated pattern goes": {
			current: "version = 2\n[plugins.\"io.containerd.grpc.v1.cri\".registry.mirrors.\"docker.io\"]\nendpoint = [\"https://m\"]\n",
			want: table{
				"version": int64(2), "imports": []any{"/etc/containerd/conf.d/*.toml"},
				"plugins": table{cri: table{"registry": table{"config_path": "/etc/containerd/certs.d"}}},
			},
		},
		"the third format has other names": {
			current: "version = 3\n",
			cri:     &extensionsv1alpha1.CRIConfig{Containerd: &extensionsv1alpha1.ContainerdConfig{SandboxImage: "pause:2"}},
			want: table{
				"version": int64(3), "imports": []any{"/etc/containerd/conf.d/*.toml"},
				"plugins": table{"io.containerd.cri.v1.images": table{
					"registry": table{"config_path": "/etc/containerd/certs.d"}, "pinned_images": table{"sandbox": "pause:2"},
				}},
			},
		},
		"EXT-9 extensions set the cgroup driver, the sandbox and plugins": {
			current: "version = 2\n[plugins.old]\na = 1\n",
			cri: &extensionsv1alpha1.CRIConfig{CgroupDriver: ptr.To(extensionsv1alpha1.CgroupDriverSystemd), Containerd: &extensionsv1alpha1.ContainerdConfig{
				SandboxImage: "pause:2",
				Plugins: []extensionsv1alpha1.PluginConfig{
					{Path: []string{"new", "sub"}, Values: &apiextensionsv1.JSON{Raw: []byte(`{"n":1,"on":true}`)}},
					{Op: &remove, Path: []string{"old"}},
				},
			}},
			want: table{
				"version": int64(2), "imports": []any{"/etc/containerd/conf.d/*.toml"},
				"plugins": table{
					cri: table{
						"registry": table{"config_path": "/etc/containerd/certs.d"}, "sandbox_image": "pause:2",
						"containerd": table{"runtimes": table{"runc": table{"options": table{"SystemdCgroup": true}}}},
					},
					"new": table{"sub": table{"n": int64(1), "on": true}},
				},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			merged, err := containerd.Merge([]byte(tc.current), tc.cri, true)
			if err != nil {
				t.Fatalf("merge: %v", err)
			}
			got := table{}
			if err := toml.Unmarshal(merged, &got); err != nil {
				t.Fatalf("read: %v", err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
			again, err := containerd.Merge(merged, tc.cri, true)
			if err != nil {
				t.Fatalf("merge again: %v", err)
			}
			if diff := cmp.Diff(string(merged), string(again)); diff != "" {
				t.Errorf("merging again changes:\n%s", diff)
			}
		})
	}
	t.Run("what cannot be read is not replaced", func(t *testing.T) {
		if _, err := containerd.Merge([]byte("= nonsense"), nil, true); err == nil {
			t.Error("there is no error")
		}
	})
}

func TestMergeOnOldMachines(t *testing.T) {
	const old = "# mine\nversion = 2\n[plugins.\"io.containerd.grpc.v1.cri\"]\nsandbox_image = \"pause:1\"\n"
	for name, tc := range map[string]struct {
		cri      *extensionsv1alpha1.CRIConfig
		has, not []string
	}{
		"OSC-10 a machine that exists stays as it is, byte by byte": {
			cri: &extensionsv1alpha1.CRIConfig{Name: "containerd", CgroupDriver: ptr.To(extensionsv1alpha1.CgroupDriverSystemd)},
			has: []string{old}, not: []string{"imports", "config_path", "SystemdCgroup", "Managed by"},
		},
		"OSC-10 existing settings are not written again": {
			cri: &extensionsv1alpha1.CRIConfig{Containerd: &extensionsv1alpha1.ContainerdConfig{SandboxImage: "pause:1"}}, has: []string{old},
		},
		"OSC-10 what an extension asks for is merged, and nothing else": {
			cri: &extensionsv1alpha1.CRIConfig{Containerd: &extensionsv1alpha1.ContainerdConfig{SandboxImage: "pause:2"}},
			has: []string{`sandbox_image = "pause:2"`}, not: []string{"imports", "config_path"},
		},
		"OSC-10 OSC-6 mirrors need the directory of registries": {
			cri: &extensionsv1alpha1.CRIConfig{Containerd: &extensionsv1alpha1.ContainerdConfig{Registries: []extensionsv1alpha1.RegistryConfig{{Upstream: "docker.io"}}}},
			has: []string{"config_path"}, not: []string{"imports"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			merged, err := containerd.Merge([]byte(old), tc.cri, false)
			if err != nil {
				t.Fatalf("merge: %v", err)
			}
			for _, word := range tc.has {
				if !strings.Contains(string(merged), word) {
					t.Errorf("lacks %q:\n%s", word, merged)
				}
			}
			for _, word := range tc.not {
				if strings.Contains(string(merged), word) {
					t.Errorf("has %q:\n%s", word, merged)
				}
			}
		})
	}
}

func TestHosts(t *testing.T) {
	cri := &extensionsv1alpha1.CRIConfig{Containerd: &extensionsv1alpha1.ContainerdConfig{Registries: []extensionsv1alpha1.RegistryConfig{{
		Upstream: "registry.k8s.io", Hosts: []extensionsv1alpha1.RegistryHost{
			{URL: "https://b", Capabilities: []extensionsv1alpha1.RegistryCapability{"pull"}, CACerts: []string{"/ca.crt"}, OverridePath: ptr.To(true)},
			{URL: "https://a"},
		},
	}}}}
	got := containerd.Hosts(cri)["/etc/containerd/certs.d/registry.k8s.io/hosts.toml"]
	read := struct {
		Host map[string]struct {
			Capabilities []string
			CA           []string `toml:"ca"`
			OverridePath bool     `toml:"override_path"`
		}
	}{}
	if err := toml.Unmarshal([]byte(got), &read); err != nil {
		t.Fatalf("OSC-6 read %q: %v", got, err)
	}
	if b := read.Host["https://b"]; !b.OverridePath || !cmp.Equal(b.CA, []string{"/ca.crt"}) || !cmp.Equal(b.Capabilities, []string{"pull"}) {
		t.Errorf("OSC-6 host is %+v", b)
	}
	if strings.Index(got, "https://b") > strings.Index(got, "https://a") {
		t.Errorf("OSC-6 the order of the hosts is lost:\n%s", got)
	}
}
