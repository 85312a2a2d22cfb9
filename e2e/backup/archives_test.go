package backup

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
)

// encrypted takes the steps about encryption in docs/backup.md, and reads the archive with its key and without.
func encrypted(t *testing.T, f *fixture, reader *follow.Reader, backups string) {
	reader.Follow(t, "an encrypted backup", follow.Steps(t, "docs/backup.md", "e2e/backup", "Encryption"))
	var listed []struct {
		File, Landscape, Identity string
		Encrypted                 bool
	}
	if err := json.Unmarshal([]byte(f.Gardener("backup", "list", "--in", "file://"+backups, "-o", "json")), &listed); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(listed, func(l struct {
		File, Landscape, Identity string
		Encrypted                 bool
	}) bool {
		return l.Encrypted
	})
	if len(listed) != 2 || i < 0 || listed[i].Landscape != "local" || listed[i].Identity != "" {
		t.Fatalf("backups %v", listed)
	}
	file, key := listed[i].File, filepath.Join(f.Dir, "backup.key")
	f.Gardener("backup", "verify", "file://"+file, "--key", key)
	for name, flags := range map[string][]string{"no key": nil, "a passphrase": {"--passphrase-file", f.File("passphrase", "correct horse\n")}} {
		for _, verb := range []string{"verify", "restore"} {
			if r := f.Run(append([]string{"backup", verb, file}, flags...)...); r.Code != 1 || !strings.Contains(r.Stderr, "GRD-113") {
				t.Errorf("%s with %s ends with %d: %s", verb, name, r.Code, r.Stderr)
			}
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(text), "header.json") {
		t.Errorf("the archive can be read: %v", err)
	}
}

// schedule makes backups on a schedule from the next start on, and returns their directory.
func (f *fixture) schedule() string {
	f.t.Helper()
	text, err := os.ReadFile(f.Config)
	if err != nil {
		f.t.Fatal(err)
	}
	dir := filepath.Join(f.Dir, "scheduled")
	if err := f.Write(f.Config, fmt.Sprintf("%sbackup: {schedule: '@every 3s', to: %q, keep: 2}\n", text, dir)); err != nil {
		f.t.Fatal(err)
	}
	return dir
}

// backedUpBySchedule waits until an archive of the schedule has replaced another one.
func (f *fixture) backedUpBySchedule(dir string) {
	f.t.Helper()
	var first string
	f.Eventually(2*time.Minute, "a backup replaces an older one", func() (bool, string) {
		names, err := filepath.Glob(filepath.Join(dir, "*.tar.zst"))
		if len(names) == 0 {
			return false, fmt.Sprint(err)
		}
		if first == "" {
			first = names[0]
		}
		return !slices.Contains(names, first), fmt.Sprint(names)
	})
	f.Gardener("part", "stop", "backups") // the shoot is removed next
	names, err := filepath.Glob(filepath.Join(dir, "*.tar.zst"))
	if err != nil || len(names) == 0 || len(names) > 3 { // one more if it was stopped before it removed the oldest
		f.t.Fatalf("archives %v, %v", names, err)
	}
	f.Gardener("backup", "verify", names[len(names)-1])
}
