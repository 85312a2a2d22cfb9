package preflight

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/local/doctor"
)

func TestInotify(t *testing.T) {
	for name, tc := range map[string]struct {
		open, limit int
		state       doctor.State
		says        string
	}{
		"enough instances are fine":            {open: 10, limit: 10 + neededInstances, state: doctor.OK, says: "enough"},
		"few instances are told with the cure": {open: 108, limit: 128, state: doctor.Warning, says: "only 20 more"},
		"no instances at all are told":         {open: 130, limit: 128, state: doctor.Warning, says: "only 0 more"},
	} {
		t.Run(name, func(t *testing.T) {
			found := checkInotify(tc.open, tc.limit)
			if found.State != tc.state || !strings.Contains(found.Message, tc.says) || (found.Cure == "") != (tc.state == doctor.OK) {
				t.Errorf("found %+v", found)
			}
		})
	}
	t.Run("APP-35 only instances of the same user are counted", func(t *testing.T) {
		proc := t.TempDir()
		for process, status := range map[string]string{"1": "Name:\ta\nUid:\t7\t7\t7\t7\n", "2": "Name:\tb\nUid:\t8\t8\t8\t8\n", "3": "Name:\tc\nUid:\t0\t7\t7\t7\n", "4": ""} {
			fds := filepath.Join(proc, process, "fd")
			if err := errors.Join(os.MkdirAll(fds, 0o755), os.WriteFile(filepath.Join(proc, process, "status"), []byte(status), 0o600),
				os.Symlink("anon_inode:inotify", filepath.Join(fds, "4")), os.Symlink("/dev/null", filepath.Join(fds, "0"))); err != nil {
				t.Fatal(err)
			}
		}
		for user, want := range map[uint32]int{7: 2, 8: 1, 9: 0} {
			if got := inotifyInstances(proc, user); got != want {
				t.Errorf("user %d has %d instances, want %d", user, got, want)
			}
		}
	})
	t.Run("the instances of this process are counted", func(t *testing.T) {
		descriptor, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(descriptor)
		if open := inotifyInstances("/proc", uint32(os.Geteuid())); open < 1 {
			t.Errorf("%d instances", open)
		}
		if limit, err := inotifyLimit(); err != nil || limit < 1 {
			t.Errorf("limit %d, %v", limit, err)
		}
	})
}
