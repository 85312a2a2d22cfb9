package preflight

import (
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
	t.Run("the instances of this process are counted", func(t *testing.T) {
		descriptor, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(descriptor)
		if open := inotifyInstances(); open < 1 {
			t.Errorf("%d instances", open)
		}
		if limit, err := inotifyLimit(); err != nil || limit < 1 {
			t.Errorf("limit %d, %v", limit, err)
		}
	})
}
