package backuprestore

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// TestGuard leaves its guard in the process, so no other test of the package may reach a store at this machine.
func TestGuard(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(server.Close)
	for provider, files := range map[string]map[string]string{
		location.S3:  {"accessKeyID": "a", "secretAccessKey": "b", "region": "c", "endpoint": server.URL},
		location.GCS: {"serviceaccount.json": "{}", "storageAPIEndpoint": server.URL, "emulatorEnabled": "true"},
		location.ABS: {"storageAccount": "a", "storageKey": "Yg==", "domain": strings.TrimPrefix(server.URL, "http://"), "emulatorEnabled": "true"},
	} {
		t.Run("APP-19 BKP-2 a store of provider "+provider+" at this machine is refused", func(t *testing.T) {
			secret := t.TempDir()
			for name, content := range files {
				if err := os.WriteFile(filepath.Join(secret, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := Command(guardeddial.Rules.GuardProcess)
			cmd.SetArgs([]string{
				"copy", "--source-store-provider=" + provider, "--source-store-container=bucket", "--source-store-prefix=a--b/main", "--source-store-credentials=" + secret,
				"--store-provider=local", "--store-container=bucket", "--store-prefix=a--b/main", "--store-dir=" + t.TempDir(), "--private-networks=10.0.0.0/8",
			})
			cmd.SetOut(io.Discard)
			cmd.SetErr(io.Discard)
			err := cmd.ExecuteContext(t.Context())
			if err == nil || asked.Load() != 0 || !strings.Contains(err.Error(), "127.0.0.1") {
				t.Errorf("error %v, the server was asked %d times; want a refusal that names the address", err, asked.Load())
			}
		})
	}
}
