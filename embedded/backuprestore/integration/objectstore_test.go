package integration

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/backuprestore"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/azure/azuretest"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/encryption"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/gcs/gcstest"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/s3/s3test"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/transfer"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// TestObjectStores back an etcd up into object stores instead of a directory.
func TestObjectStores(t *testing.T) {
	s3Secret := func(server *s3test.Server) map[string][]byte {
		return map[string][]byte{
			"accessKeyID": []byte("id"), "secretAccessKey": []byte("confidential"), "region": []byte("here"), "endpoint": []byte(server.URL), "s3ForcePathStyle": []byte("true"),
		}
	}
	t.Run("S3", func(t *testing.T) {
		server := s3test.Start(t, "bucket")
		inObjectStore(t, "S3", server, s3Secret(server), "confidential")
	})
	t.Run("S3 with a key for encryption", func(t *testing.T) {
		server := s3test.Start(t, "bucket")
		secret := s3Secret(server)
		secret[encryption.Key] = []byte(newKey(t).String())
		inObjectStore(t, "S3", server, secret, string(secret[encryption.Key]))
		for key, content := range server.Objects() {
			if !strings.HasSuffix(key, ".age") || !bytes.HasPrefix(content, []byte("age-encryption.org/v1\n")) {
				t.Errorf("ETC-10 %s is not encrypted", key)
			}
		}
	})
	t.Run("Google", func(t *testing.T) {
		server := gcstest.Start(t, "bucket")
		inObjectStore(t, "GCS", server, server.Secret(t), "PRIVATE KEY")
	})
	t.Run("Azure", func(t *testing.T) {
		server := azuretest.Start(t, "bucket")
		secret := server.Secret()
		inObjectStore(t, "ABS", server, secret, string(secret["storageKey"]))
	})
}

func TestMoveBetweenObjectStores(t *testing.T) {
	t.Run("MIG-17 backups move from one S3 bucket to another, and an etcd is restored from them", betweenBuckets)
}

// betweenBuckets copies the backups of a member from one bucket to another, as the Job of a control plane that moves does, and restores them there.
func betweenBuckets(t *testing.T) {
	from, to := s3test.Start(t, "one"), s3test.Start(t, "two")
	keys := func(server *s3test.Server, id string) string {
		dir := t.TempDir()
		for name, content := range map[string]string{"accessKeyID": id, "secretAccessKey": "confidential", "region": "here", "endpoint": server.URL, "s3ForcePathStyle": "true"} {
			must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
		}
		server.Refuse(func(r *http.Request) (int, string) { // each bucket has its own credentials
			if !strings.Contains(r.Header.Get("Authorization"), "Credential="+id+"/") {
				return http.StatusForbidden, "AccessDenied"
			}
			return 0, ""
		})
		return dir
	}
	stored := func(bucket, credentials string) []string {
		return []string{"--store-provider=S3", "--store-container=" + bucket, "--store-prefix=shoot/etcd-main", "--store-credentials=" + credentials}
	}
	source, target := stored("one", keys(from, "first")), stored("two", keys(to, "second"))
	copies := func(wait string) error {
		cmd := backuprestore.Command(unguarded)
		args := append([]string{"copy", "--wait-for-final-snapshot=true", "--wait-for-final-snapshot-timeout=" + wait}, target...)
		for _, flag := range source {
			args = append(args, strings.Replace(flag, "--", "--source-", 1))
		}
		cmd.SetArgs(args)
		return cmd.ExecuteContext(t.Context())
	}
	if err := copies("10ms"); !errors.Is(err, transfer.ErrNothing) || !strings.Contains(err.Error(), `bucket "one"`) || len(to.Objects()) > 0 {
		t.Errorf("MIG-17 the copy of a bucket without snapshots ends with %v, and the target has %d objects", err, len(to.Objects()))
	}
	left := newMember(t)
	left.flags = append(source, "--delta-period=1h")
	left.start()
	_, err := left.etcd.Put(t.Context(), "before", "full")
	must(t, err)
	left.take("full")
	_, err = left.etcd.Put(t.Context(), "after", "delta")
	must(t, err)
	left.take("delta")
	_, err = left.etcd.Put(t.Context(), "last", "final")
	must(t, err)
	left.take("full?final=true")
	want := left.contents()
	left.end(syscall.SIGKILL)

	for range 2 { // the Job may start again
		must(t, copies("1m"))
	}
	there := map[string][]byte{}
	for key, content := range from.Objects() {
		there[strings.TrimSuffix(key, ".final")] = content // the copy goes on in its bucket
	}
	if diff := cmp.Diff(there, to.Objects()); diff != "" || len(to.Objects()) < 3 {
		t.Errorf("MIG-17 %d objects, the buckets differ (-source +target):\n%s", len(to.Objects()), diff)
	}
	came := newMember(t)
	came.flags = append(target, "--delta-period=1h")
	came.start()
	if diff := cmp.Diff(want, came.contents()); diff != "" || len(want) < 3 {
		t.Errorf("MIG-17 contents after the move (-want +got):\n%s", diff)
	}
}

// unguarded lets this process reach object stores at this machine.
func unguarded(guardeddial.Rules) error { return nil }

// objectStore is one that lives in the test.
type objectStore interface {
	Refuse(func(*http.Request) (status int, code string))
	Objects() map[string][]byte
}

func inObjectStore(t *testing.T, provider string, server objectStore, secret map[string][]byte, confidential string) {
	credentials := t.TempDir()
	for name, content := range secret {
		must(t, os.WriteFile(filepath.Join(credentials, name), content, 0o600))
	}
	stored := []string{"--store-provider=" + provider, "--store-container=bucket", "--store-prefix=shoot/etcd-main", "--store-credentials=" + credentials}
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
		cmd := backuprestore.Command(unguarded)
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
	if log, err := os.ReadFile(filepath.Join(m.dir, "log")); err != nil || strings.Contains(string(log), confidential) {
		t.Errorf("the log has the key, or cannot be read: %v", err)
	}
}
