package preflight

import (
	"os"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/appliance/trial"
	"github.com/gardener-up/gardener-up/embedded/sandbox/ids"
	"github.com/gardener-up/gardener-up/embedded/userns"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// several is what the system has given to a user.
func several(first uint32) userns.Mapping {
	all := []ids.Range{{Inside: 0, Outside: 1000, Size: 1}, {Inside: 1, Outside: first, Size: 65536}}
	return userns.Mapping{Users: all, Groups: all}
}

func TestUsers(t *testing.T) {
	had := several(100000).Text()
	for name, tc := range map[string]struct {
		users   Users
		state   doctor.State
		message string
		lost    bool // which up says, too
	}{
		"root decides nothing":                      {users: Users{plain: true, former: had}, state: doctor.OK},
		"there are several":                         {users: Users{Mapping: several(100000)}, state: doctor.OK},
		"there are the same again":                  {users: Users{Mapping: several(100000), former: had}, state: doctor.OK},
		"there is one, as always":                   {users: Users{Reason: "boom"}, state: doctor.Warning, message: "cannot write to PersistentVolumes: boom"},
		"there is one, and there were others":       {users: Users{Reason: "boom", former: had}, state: doctor.Warning, message: "has no more: boom", lost: true},
		"there are others than before, whose files": {users: Users{Mapping: several(200000), former: had}, state: doctor.Warning, message: "has no more", lost: true},
	} {
		t.Run("APP-16 "+name, func(t *testing.T) {
			f := tc.users.Finding()
			if f.State != tc.state || !strings.Contains(f.Message, tc.message) || (f.Cure != "") != (tc.state == doctor.Warning) {
				t.Errorf("finding %+v", f)
			}
			lost := tc.users.Lost()
			if lost.State != doctor.OK != tc.lost || tc.lost && !strings.Contains(lost.Cure, "1:100000:65536") {
				t.Errorf("up says %+v", lost)
			}
		})
	}
}

func TestFindUsers(t *testing.T) {
	p, err := paths.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if u, err := FindUsers(trial.Decision{Containers: config.ContainersSimulate}, p); err != nil || !u.plain {
		t.Errorf("APP-16 simulated containers need users: %+v, %v", u, err)
	}
	s, err := store.Open(p.Store())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Sandboxes().SetUsers("former"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	u, err := FindUsers(trial.Decision{Containers: config.ContainersSimulate}, p)
	if err != nil || u.plain != (os.Geteuid() == 0) {
		t.Errorf("APP-16 volumes of users that are simulated now: %+v, %v", u, err)
	}
	if former, err := FormerUsers(p); former != "former" || err != nil {
		t.Errorf("APP-16 the users were kept as %q, %v", former, err)
	}
}
