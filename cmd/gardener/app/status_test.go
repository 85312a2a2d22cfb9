package app

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestStatusHasReadableDurations(t *testing.T) {
	report := &daemon.Report{PID: 7, Landscape: "local", Ready: true, ReadyAfter: 112 * time.Second, Parts: []component.Status{
		{Name: "etcd", State: component.Ready, Took: 1234567890}, {Name: "late", State: component.Waiting},
	}}
	t.Run("APP-35 as yaml", func(t *testing.T) {
		var out bytes.Buffer
		if err := printAs(&out, "yaml", &status{Report: report, StateDir: "/s", Kubeconfig: "/k", Seeds: []seedStatus{}, Shoots: []shootStatus{}}, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(`kubeconfig: /k
landscape: local
parts:
- name: etcd
  state: Ready
  took: 1.23s
- name: late
  state: Waiting
pid: 7
ready: true
readyAfter: 1m52s
seeds: []
shoots: []
started: "0001-01-01T00:00:00Z"
stateDir: /s
version: ""
`, out.String()); diff != "" {
			t.Errorf("printed (-want +got):\n%s", diff)
		}
	})
}

// busyGarden is a garden that does not list some kinds.
type busyGarden struct {
	client.Reader
	seeds []gardencorev1beta1.Seed
	fails map[string]error
}

func (b busyGarden) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	switch list := list.(type) {
	case *gardencorev1beta1.SeedList:
		list.Items = b.seeds
		return b.fails[kindSeeds]
	case *gardencorev1beta1.ShootList:
		list.Items = []gardencorev1beta1.Shoot{{Spec: gardencorev1beta1.ShootSpec{SeedName: new("one")}}}
		if b.fails[kindShoots] != nil {
			list.Items = nil
		}
		return b.fails[kindShoots]
	}
	return b.fails[kindExtensions]
}

// noAnswer is how the client of Kubernetes says that the answer did not come.
var noAnswer = &url.Error{Op: "Get", URL: "https://127.0.0.1/", Err: context.DeadlineExceeded}

func TestSeedsOfBusyGarden(t *testing.T) {
	seed := gardencorev1beta1.Seed{}
	seed.Name = "one"
	for name, tc := range map[string]struct {
		fails  map[string]error
		row    []string // of the seed; nil if there is none
		says   string
		code   int
		status []string // lines that "gardener status" must have
	}{
		"everything in time": {
			row:    []string{"one", sourceGardenlet, "", "1", "false", `seed "one": Bootstrapped is not reported yet`},
			status: []string{"SHOOT"},
		},
		"shoots late": {
			fails: map[string]error{kindShoots: noAnswer},
			row:   []string{"one", sourceGardenlet, "", "?", "false", `seed "one": Bootstrapped is not reported yet`},
			says:  "shoots cannot be listed: the garden has not answered within 7s", code: codeTimeout,
			status: []string{"SEED", "shoots cannot be listed: the garden has not answered within 7s"},
		},
		"extensions late": {
			fails: map[string]error{kindExtensions: apierrors.NewTimeoutError("the server was unable to return a response in the time allotted", 0)},
			row:   []string{"one", sourceGardenlet, "", "1", "?", `seed "one": Bootstrapped is not reported yet`},
			says:  "extensions of seeds cannot be listed: the garden has not answered within 7s", code: codeTimeout,
			status: []string{"SEED", "SHOOT"},
		},
		"everything late": {
			fails: map[string]error{kindSeeds: noAnswer, kindShoots: noAnswer, kindExtensions: noAnswer},
			says:  "seeds, shoots, extensions of seeds cannot be listed: the garden has not answered within 7s", code: codeTimeout,
		},
		"shoots refused": {
			fails: map[string]error{kindShoots: errors.New("forbidden")},
			row:   []string{"one", sourceGardenlet, "", "?", "false", `seed "one": Bootstrapped is not reported yet`},
			says:  "shoots cannot be listed: forbidden", code: codeFailure,
		},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			garden := busyGarden{fails: tc.fails}
			if tc.row != nil {
				garden.seeds = []gardencorev1beta1.Seed{seed}
			}
			in := listSeeds(t.Context(), garden, 7*time.Second)
			rows := seedRows(in.summarize("local", nil))
			if tc.row == nil && len(rows) > 1 || tc.row != nil && (len(rows) != 2 || !cmp.Equal(plainRow(rows[1]), tc.row)) {
				t.Errorf("the rows are %q, want %q", rows, tc.row)
			}
			err := in.missing()
			if tc.says == "" {
				if err != nil {
					t.Errorf("missing: %v", err)
				}
			} else if err == nil || err.Error() != tc.says || codedOf(err).code != tc.code {
				t.Errorf("missing is %v with code %d, want %q with %d", err, codedOf(err).code, tc.says, tc.code)
			}
			s := &status{Report: &daemon.Report{Ready: true}}
			s.add(in, "local")
			var found []string
			for _, row := range statusRows(s) {
				if len(row) > 0 {
					found = append(found, row[0])
				}
			}
			for _, want := range tc.status {
				if !slices.Contains(found, want) {
					t.Errorf("the status has no line %q: %q", want, found)
				}
			}
			if verdict := s.verdict("local"); (verdict != nil) != (tc.says != "") {
				t.Errorf("the verdict is %v", verdict)
			}
		})
	}
}

func TestLateParts(t *testing.T) {
	t.Run("APP-35 what is late is named, and everything else serves", func(t *testing.T) {
		s := &status{Report: &daemon.Report{Ready: true}, Late: []string{"what is due: the garden has not answered within 7s"}}
		rows := statusRows(s)
		if last := plainRow(rows[len(rows)-1]); !cmp.Equal(last, s.Late) {
			t.Errorf("the last row is %q", last)
		}
		if err := s.verdict("local"); err != nil {
			t.Errorf("the verdict is %v", err)
		}
	})
}

func plainRow(row []string) []string {
	var out []string
	for _, cell := range row {
		out = append(out, codes.ReplaceAllString(cell, ""))
	}
	return out
}
