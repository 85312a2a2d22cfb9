package integration

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/s3/s3test"
)

// TestTwoCopies lets two copies of the data of an etcd write to the same store in turn. The later copy has taken a snapshot that was not stored, and which would
// come after the one that the earlier copy stores meanwhile.
func TestTwoCopies(t *testing.T) {
	server := s3test.Start(t, "bucket")
	credentials := t.TempDir()
	for name, content := range map[string]string{"accessKeyID": "id", "secretAccessKey": "confidential", "region": "here", "endpoint": server.URL, "s3ForcePathStyle": "true"} {
		must(t, os.WriteFile(filepath.Join(credentials, name), []byte(content), 0o600))
	}
	m := newMember(t)
	m.flags = []string{"--store-provider=S3", "--store-container=bucket", "--store-prefix=shoot/etcd-main", "--store-credentials=" + credentials, "--delta-period=1h"}
	earlier, later := filepath.Join(t.TempDir(), "earlier"), filepath.Join(t.TempDir(), "later")
	put := func(from string) {
		must(t, os.RemoveAll(m.data()))
		must(t, os.CopyFS(m.data(), os.DirFS(from)))
	}
	m.start()
	m.write("common")
	m.take("full")
	m.end(syscall.SIGTERM)
	must(t, os.CopyFS(earlier, os.DirFS(m.data())))

	m.start()
	m.take("delta") // without changes, when the backups have begun
	server.Refuse(func(r *http.Request) (int, string) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return 0, ""
		}
		return http.StatusInsufficientStorage, "QuotaExceeded"
	})
	for i := range 20 {
		m.write(fmt.Sprint("later-", i))
	}
	if _, err := m.get("/snapshot/delta"); err == nil {
		t.Fatal("a delta is stored that the bucket refused")
	}
	m.end(syscall.SIGKILL)
	must(t, os.CopyFS(later, os.DirFS(m.data())))
	server.Refuse(nil)

	put(earlier)
	m.start()
	m.write("earlier")
	m.take("delta")
	m.end(syscall.SIGKILL)

	t.Run("ETC-10 data do not continue the snapshots of another copy of them", func(t *testing.T) {
		m := m.in(t)
		put(later)
		m.start()
		want := m.write("after")
		if _, mixed := want["earlier"]; mixed {
			t.Fatal("the data that were put back are others")
		}
		m.take("delta")
		m.comesBack(want)
	})
}
