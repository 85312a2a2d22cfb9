package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// TestEnd ends an etcd whose changes are read by a client and by its backups.
func TestEnd(t *testing.T) {
	m := newMember(t)
	m.flags = m.stored()
	m.start()
	changes := m.etcd.Watch(t.Context(), "key", clientv3.WithCreatedNotify())
	if first := <-changes; !first.Created {
		t.Fatalf("no stream of changes: %+v", first)
	}
	m.take("full") // the backups have begun
	file := filepath.Join(m.dir, "log")
	before, err := os.ReadFile(file)
	must(t, err)
	m.end(syscall.SIGTERM)
	content, err := os.ReadFile(file)
	must(t, err)
	log := string(content[len(before):])
	t.Run("etcd does not wait for its own backups", func(t *testing.T) {
		if strings.Contains(log, "failed to connect") {
			t.Errorf("a client of the backups was open while etcd ended:\n%s", log)
		}
	})
	t.Run("etcd does not wait for clients that read a stream", func(t *testing.T) {
		if !regexp.MustCompile(`"connections":[1-9]`).MatchString(log) {
			t.Errorf("no connection was ended:\n%s", log)
		}
	})
}
