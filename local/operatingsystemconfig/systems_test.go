package operatingsystemconfig

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/userdata"
)

// TestSystems looks at the text that machines of each operating system boot from.
func TestSystems(t *testing.T) {
	for osType, tc := range map[string]struct {
		containerd, dropIn []string // what is in the unit and what in its drop-in
		files              map[string]string
	}{
		"local":  {},
		"ubuntu": {dropIn: []string{"ExecStart=\nExecStart=/usr/bin/containerd --config=/etc/containerd/config.toml", "PATH=/var/bin/containerruntimes:/usr/bin:"}},
		"coreos": {
			dropIn: []string{"ExecStart=\nExecStart=/usr/bin/env containerd --config=/etc/containerd/config.toml", "PATH=/var/bin/containerruntimes:/var/bin:"},
			files:  map[string]string{"/etc/systemd/system/docker.socket.d/40-exec_config.conf": "ConditionPathExists=!"},
		},
		"suse-chost": {containerd: []string{"ExecStart=/usr/sbin/containerd --config=/etc/containerd/config.toml", "containerd-ctr", "PATH=/var/bin/containerruntimes:/usr/sbin:", "WantedBy=multi-user.target"}},
	} {
		t.Run("CTR-3 paths and units of "+osType, func(t *testing.T) {
			extra := systemOf(osType)
			base := extensionsv1alpha1.OperatingSystemConfigSpec{Units: []extensionsv1alpha1.Unit{{
				Name: "containerd.service", Enable: ptr.To(true), DropIns: []extensionsv1alpha1.DropIn{{Name: "10-limits.conf", Content: "[Service]"}},
			}}}
			spec := complete(base, extra.units, extra.files)
			data, err := render(&spec, secrets)
			if err != nil {
				t.Fatalf("render: %v", err)
			}
			document, err := userdata.Decode(data)
			if err != nil {
				t.Fatalf("decode: %v", err)
			}
			if len(document.Units) != 1 || document.Units[0].DropIns[0].Name != "10-limits.conf" || len(base.Units[0].DropIns) != 1 || base.Units[0].Content != nil {
				t.Fatalf("units are %+v, those it began with %+v", document.Units, base.Units)
			}
			unit := document.Units[0]
			own := ""
			for _, d := range unit.DropIns[1:] {
				own += d.Content
			}
			for text, words := range map[string][]string{unit.Content: tc.containerd, own: tc.dropIn} {
				if (text == "") != (len(words) == 0) {
					t.Errorf("unexpected: %q", text)
				}
				for _, word := range words {
					if !strings.Contains(text, word) {
						t.Errorf("%q is not in\n%s", word, text)
					}
				}
			}
			if len(document.Files) != len(tc.files) {
				t.Errorf("files are %+v", document.Files)
			}
			for path, word := range tc.files {
				if !slices.ContainsFunc(document.Files, func(f userdata.File) bool { return f.Path == path && strings.Contains(f.Content, word) }) {
					t.Errorf("%s with %q is not among %+v", path, word, document.Files)
				}
			}
		})
	}
	t.Run("CTR-3 each system has a type", func(t *testing.T) {
		if got := Types(); !slices.Equal(got, []string{"local", "ubuntu", "coreos", "suse-chost"}) {
			t.Errorf("types are %v", got)
		}
	})
}
