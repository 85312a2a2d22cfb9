package configfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/etcd/configfile"
	"github.com/gardener-up/gardener-up/embedded/etcd/ownflags"
)

var flags = ownflags.Flags{
	"--auto-compaction-retention=1h", "--cert-file=a/tls.crt", "--client-cert-auth=true", "--data-dir=new.etcd", "--enable-grpc-gateway=false",
	"--initial-cluster-token=0123", "--peer-cert-file=b/tls.crt", "--peer-client-cert-auth=true", "--quota-backend-bytes=8589934592",
}

const file = `auto-compaction-retention: 1h
client-transport-security:
  cert-file: a/tls.crt
  client-cert-auth: true
data-dir: new.etcd
enable-grpc-gateway: false
initial-cluster-token: "0123"
peer-transport-security:
  cert-file: b/tls.crt
  client-cert-auth: true
quota-backend-bytes: 8589934592
`

func TestBothWays(t *testing.T) {
	content, err := configfile.Encode(flags)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file, string(content)); diff != "" {
		t.Errorf("ETC-2 file (-want +got):\n%s", diff)
	}
	got, err := configfile.Decode(content)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(flags, got); diff != "" {
		t.Errorf("ETC-2 flags (-want +got):\n%s", diff)
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, flag := range []string{"--force-new-cluster", "name=a", ""} {
		if _, err := configfile.Encode(ownflags.Flags{flag}); err == nil {
			t.Errorf("%q is no error", flag)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ content, want string }{
		"a list":                     {"- a", "no map"},
		"a setting twice":            {"name: a\nname: b", "no YAML"},
		"a list as a value":          {"cipher-suites: [a]", "cipher-suites: the value is neither"},
		"a section that is a text":   {"peer-transport-security: a", "peer-transport-security: no map"},
		"an unknown file of TLS":     {"client-transport-security: {auto-tls: true}", `unknown setting "auto-tls"`},
		"a section within a section": {"client-transport-security: {cert-file: {a: b}}", "cert-file: the value is neither"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := configfile.Decode([]byte(tc.content)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, error %v; want %q", got, err, tc.want)
			}
		})
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "etcd.conf.yaml")
	if _, err := configfile.Read(path, ""); err == nil {
		t.Error("a missing file is no error")
	}
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := configfile.Read(path, configfile.Sum([]byte(file)))
	if diff := cmp.Diff(flags, got); err != nil || diff != "" {
		t.Errorf("%v; flags (-want +got):\n%s", err, diff)
	}
	t.Run("ETC-2 a file that somebody changed is refused", func(t *testing.T) {
		changed := file + "log-outputs: /etc/passwd\n"
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := configfile.Read(path, configfile.Sum([]byte(file))); err == nil || !strings.Contains(err.Error(), "reconcile the Etcd") {
			t.Errorf("%v, error %v", got, err)
		}
	})
	t.Run("ETC-2 the former file beside a newer one still counts, unless somebody changed it", func(t *testing.T) {
		former := configfile.Former(path, configfile.Sum([]byte(file)))
		if err := os.WriteFile(former, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := configfile.Read(path, configfile.Sum([]byte(file)))
		if diff := cmp.Diff(flags, got); err != nil || diff != "" {
			t.Errorf("%v; flags (-want +got):\n%s", err, diff)
		}
		if err := os.WriteFile(former, []byte(file+"log-outputs: /etc/passwd\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := configfile.Read(path, configfile.Sum([]byte(file))); err == nil {
			t.Errorf("%v", got)
		}
	})
	t.Run("a file that is far too large is refused", func(t *testing.T) {
		if err := os.Truncate(path, 1<<20); err != nil {
			t.Fatal(err)
		}
		if _, err := configfile.Read(path, ""); err == nil || !strings.Contains(err.Error(), "more than") {
			t.Errorf("error %v", err)
		}
	})
}
