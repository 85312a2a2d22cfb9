package integration

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/backuprestore"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/s3/s3test"
)

// TestObjectStore backs an etcd up into an object store instead of a directory.
func TestObjectStore(t *testing.T) {
	server, credentials := s3test.Start(t, "bucket"), t.TempDir()
	for name, content := range map[string]string{"accessKeyID": "id", "secretAccessKey": "confidential", "region": "here", "endpoint": server.URL, "s3ForcePathStyle": "true"} {
		must(t, os.WriteFile(filepath.Join(credentials, name), []byte(content), 0o600))
	}
	stored := []string{"--store-provider=S3", "--store-container=bucket", "--store-prefix=shoot/etcd-main", "--store-credentials=" + credentials}
	m := newMember(t)
	m.flags = append(stored, "--delta-period=1h")
	m.start()
	_, err := m.etcd.Put(t.Context(), "before", "full")
	must(t, err)
	m.take("full")
	_, err = m.etcd.Put(t.Context(), "after", strings.Repeat("delta", 1000))
	must(t, err)
	m.take("delta")
	want := m.contents()

	t.Run("ETC-10 lost data come back from the object store, which fails in between", func(t *testing.T) {
		m.end(syscall.SIGKILL)
		must(t, os.RemoveAll(m.data()))
		var asked atomic.Int32
		server.Refuse(func(*http.Request) (int, string) {
			if asked.Add(1)%3 == 0 {
				return http.StatusServiceUnavailable, "SlowDown"
			}
			return 0, ""
		})
		m.start()
		if diff := cmp.Diff(want, m.contents()); diff != "" {
			t.Errorf("contents (-want +got):\n%s", diff)
		}
	})
	t.Run("MIG-21 the copy brings snapshots from an object store into a directory", func(t *testing.T) {
		m.end(syscall.SIGKILL) // it would add snapshots
		server.Refuse(nil)
		dir := t.TempDir()
		cmd := backuprestore.Command()
		args := []string{"copy", "--store-provider=local", "--store-container=bucket", "--store-prefix=shoot/etcd-main", "--store-dir=" + dir}
		for _, flag := range stored {
			args = append(args, strings.Replace(flag, "--", "--source-", 1))
		}
		cmd.SetArgs(args)
		must(t, cmd.ExecuteContext(t.Context()))
		copied := 0
		for key, content := range server.Objects() {
			got, err := os.ReadFile(filepath.Join(dir, "bucket", filepath.FromSlash(key)))
			if err != nil || string(got) != string(content) {
				t.Errorf("%s: %d of %d bytes, %v", key, len(got), len(content), err)
			}
			copied++
		}
		if copied < 2 {
			t.Errorf("%d snapshots", copied)
		}
	})
	if log, err := os.ReadFile(filepath.Join(m.dir, "log")); err != nil || strings.Contains(string(log), "confidential") {
		t.Errorf("the log has the key, or cannot be read: %v", err)
	}
}
