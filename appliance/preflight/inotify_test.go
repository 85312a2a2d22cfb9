package preflight

import (
	"strings"
	"syscall"
	"testing"

	"github.com/gardener-up/gardener-up/local/doctor"
)

func TestInotify(t *testing.T) {
	for name, tc := range map[string]struct {
		limit int
		state doctor.State
		says  string
	}{
		"enough instances are fine":                {limit: neededInstances, state: doctor.OK, says: "enough"},
		"few instances are told with the cure":     {limit: 20, state: doctor.Warning, says: "only 20 more"},
		"no instances at all are told, and no end": {limit: 0, state: doctor.Warning, says: "only 0 more"},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			open := map[int]bool{}
			found := checkInotify(func() (int, error) {
				if len(open) == tc.limit {
					return 0, syscall.EMFILE
				}
				open[len(open)] = true
				return len(open) - 1, nil
			}, func(descriptor int) error {
				delete(open, descriptor)
				return nil
			})
			if found.State != tc.state || !strings.Contains(found.Message, tc.says) || (found.Cure == "") != (tc.state == doctor.OK) {
				t.Errorf("found %+v", found)
			}
			if len(open) > 0 {
				t.Errorf("%d instances are left", len(open))
			}
		})
	}
}
