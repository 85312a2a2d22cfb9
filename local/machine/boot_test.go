package machine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/local/machine"
	"github.com/gardener-up/gardener-up/local/userdata"
)

const unit = `[Unit]
Description=kubelet
[Service]
ExecStart=/opt/bin/kubelet \
    --bootstrap-kubeconfig=/var/lib/kubelet/kubeconfig-bootstrap \
    --config=/var/lib/kubelet/config/kubelet \
    --kubeconfig /var/lib/kubelet/kubeconfig-real \
    --node-labels="worker.gardener.cloud/pool=local,worker.gardener.cloud/kubernetes-version=1.34.0" \
    --v=2 $KUBELET_EXTRA_ARGS
`

func options(t *testing.T, document userdata.Document) machine.Options {
	t.Helper()
	dir := t.TempDir()
	data, err := document.Encode()
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	file := filepath.Join(dir, "userdata")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatalf("write: %v", err)
	}
	return machine.Options{
		UserData: file, Root: filepath.Join(dir, "root"),
		NodeName: "node", ProviderID: "local:///ns/node", NodeIP: "127.64.0.9",
	}
}

func content() userdata.Document {
	return userdata.Document{
		Files: []userdata.File{
			userdata.NewFile("/var/lib/kubelet/config/kubelet", 0o644, []byte("clientCAFile: /var/lib/kubelet/ca.crt\n")),
			userdata.NewFile("/var/lib/kubelet/kubeconfig-bootstrap", 0o600, []byte("token")),
			userdata.NewFile("/../../etc/outside", 0o644, []byte("x")),
			{Path: "/opt/bin/kubelet", Mode: "0755", Image: "kubelet", PathInImage: "/kubelet"},
		},
		Units: []userdata.Unit{{Name: "containerd.service"}, {Name: "kubelet.service", Content: unit}},
	}
}

func TestPrepare(t *testing.T) {
	o := options(t, content())
	args, err := machine.Prepare(o)
	if err != nil {
		t.Fatalf("prepare: %v", err)
	}
	kubelet := filepath.Join(o.Root, "var/lib/kubelet")
	want := []string{
		"--root-dir=" + kubelet,
		"--hostname-override=node",
		"--provider-id=local:///ns/node",
		"--node-ip=127.64.0.9",
		"--bootstrap-kubeconfig=" + kubelet + "/kubeconfig-bootstrap",
		"--config=" + kubelet + "/config/kubelet",
		"--kubeconfig=" + kubelet + "/kubeconfig-real",
		"--node-labels=worker.gardener.cloud/pool=local,worker.gardener.cloud/kubernetes-version=1.34.0",
		"--kubernetes-version=v1.34.0", // ARC-9
	}
	if diff := cmp.Diff(want, args); diff != "" {
		t.Errorf("EXT-11 arguments of the kubelet (-want +got):\n%s", diff)
	}
	for path, want := range map[string]string{
		"var/lib/kubelet/config/kubelet":       "clientCAFile: " + kubelet + "/ca.crt\n",
		"var/lib/kubelet/kubeconfig-bootstrap": "token",
		"etc/outside":                          "x",
	} {
		if got, err := os.ReadFile(filepath.Join(o.Root, path)); err != nil || string(got) != want {
			t.Errorf("EXT-11 %s holds %q, %v; want %q", path, got, err, want)
		}
	}
	if info, err := os.Stat(filepath.Join(kubelet, "kubeconfig-bootstrap")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("EXT-11 mode of the bootstrap kubeconfig is %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(filepath.Join(o.Root, "opt/bin/kubelet")); !os.IsNotExist(err) {
		t.Errorf("EXT-11 a program of an image was written: %v", err)
	}
}

func TestPrepareAgainKeepsWhatTheKubeletWrote(t *testing.T) {
	o := options(t, content())
	first, err := machine.Prepare(o)
	if err != nil {
		t.Fatalf("prepare: %v", err)
	}
	certificate := filepath.Join(o.Root, "var/lib/kubelet/pki/kubelet-client-current.pem")
	if err := os.MkdirAll(filepath.Dir(certificate), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(certificate, []byte("certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := machine.Prepare(o)
	if err != nil {
		t.Fatalf("prepare again: %v", err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("arguments differ after a restart:\n%s", diff)
	}
	if got, err := os.ReadFile(certificate); err != nil || string(got) != "certificate" {
		t.Errorf("the certificate is %q, %v after a restart", got, err)
	}
}

func TestPrepareRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		document userdata.Document
		want     string
	}{
		"a machine without a kubelet": {userdata.Document{}, "no unit kubelet.service"},
		"a unit that starts nothing":  {userdata.Document{Units: []userdata.Unit{{Name: "kubelet.service"}}}, "no ExecStart"},
		"a relative path":             {userdata.Document{Files: []userdata.File{userdata.NewFile("etc/x", 0, nil)}}, "not absolute"},
		"a mode that is no number":    {userdata.Document{Files: []userdata.File{{Path: "/x", Mode: "rw"}}}, "read mode"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := machine.Prepare(options(t, tc.document)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want one about %q", err, tc.want)
			}
		})
	}
}

func TestAuthoritiesFollowTheirSource(t *testing.T) {
	document := content()
	document.Files = append(document.Files, userdata.NewFile("/var/lib/kubelet/ca.crt", 0o644, []byte("boot")))
	o := options(t, document)
	source := filepath.Join(filepath.Dir(o.UserData), "kubelet-ca.crt")
	trusted := func() string {
		t.Helper()
		if _, err := machine.Prepare(o); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(o.Root, "var/lib/kubelet/ca.crt"))
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	if got := trusted(); got != "boot" {
		t.Errorf("without a source a machine trusts %q", got)
	}
	t.Run("CAR-10 with a source a machine trusts what that says", func(t *testing.T) {
		for _, ca := range []string{"both", "new"} {
			if err := os.WriteFile(source, []byte(ca), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := trusted(); got != ca {
				t.Errorf("a machine trusts %q, want %q", got, ca)
			}
		}
	})
}
