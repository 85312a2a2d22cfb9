package app

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWaitsForSeedsEnd(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	late, end := context.WithTimeout(t.Context(), 0)
	defer end()
	for name, tc := range map[string]struct {
		ctx  context.Context
		wait seedWait
		want string
		code int
	}{
		"an interrupted start goes on": {interrupted, seedWait{name: "two"},
			"interrupted\nhint:  the landscape goes on with it; see it with: gardener seed list --watch; undo it with: gardener seed remove two\n", codeInterrupted},
		"an interrupted removal goes on": {interrupted, seedWait{name: "two", untilGone: true},
			"interrupted\nhint:  the landscape goes on with it; see it with: gardener seed list --watch\n", codeInterrupted},
		"a timeout says what is missing": {late, seedWait{name: "two", timeout: time.Minute},
			"error: seed two is not ready after 1m0s: no etcd (GRD-500)\nhint:  the landscape goes on with it; see it with: gardener seed list --watch; undo it with: gardener seed remove two\n", codeTimeout},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			var out bytes.Buffer
			if code := report(tc.wait.ended(tc.ctx, "no etcd"), newDisplay(), &out); code != tc.code {
				t.Errorf("exit code %d", code)
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
}
