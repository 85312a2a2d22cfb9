package cloudcontroller

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/incluster"
)

func TestShootConfig(t *testing.T) {
	dir, machine := t.TempDir(), filepath.Join(t.TempDir(), "token")
	mounted, beside := filepath.Join(dir, "run", "access", "token"), filepath.Join(dir, "beside")
	if err := os.MkdirAll(filepath.Dir(mounted), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{machine, mounted, beside} {
		if err := os.WriteFile(file, []byte("t"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct{ token, want string }{
		"GLT-30 a path in the container is one below its directory": {"/run/access/token", mounted},
		"GLT-30 a path of the machine stays one":                    {machine, machine},
		"GLT-30 a relative path is beside the kubeconfig":           {"beside", beside},
	} {
		t.Run(name, func(t *testing.T) {
			text := `{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],
  clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}], users: [{name: u, user: {tokenFile: ` + tc.token + `}}]}`
			if err := os.WriteFile(filepath.Join(dir, "kubeconfig"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			config, err := shootConfig(incluster.Surroundings{Dir: dir}, "kubeconfig")
			if err != nil {
				t.Fatal(err)
			}
			if config.BearerTokenFile != tc.want || config.QPS != qps {
				t.Errorf("the token is in %s, want %s", config.BearerTokenFile, tc.want)
			}
		})
	}
}
