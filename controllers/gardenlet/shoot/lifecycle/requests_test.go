package lifecycle

import (
	"maps"
	"testing"
)

func TestTakeUp(t *testing.T) {
	const now, later, rotate = "gardener.cloud/operation", "maintenance.gardener.cloud/operation", "rotate-ssh-keypair"
	for name, tc := range map[string]struct {
		have     map[string]string
		begins   string
		deferred bool
		want     map[string]string
	}{
		"an operation is taken up":                               {have: map[string]string{now: rotate, "a": "b"}, begins: rotate, want: map[string]string{"a": "b"}},
		"GLT-38 a request that replaced it waits":                {have: map[string]string{now: "reconcile"}, begins: rotate, want: map[string]string{now: "reconcile"}},
		"BST-13 a rotation waits for the maintenance":            {map[string]string{now: rotate}, rotate, true, map[string]string{later: rotate}},
		"BST-13 a part of several waits":                         {map[string]string{now: "rotate-credentials-start"}, "rotate-credentials-start", true, map[string]string{later: rotate}},
		"BST-13 what a user wants of the maintenance goes first": {map[string]string{now: rotate, later: "retry"}, rotate, true, map[string]string{later: "retry"}},
	} {
		t.Run(name, func(t *testing.T) {
			takeUp(tc.have, tc.begins, tc.deferred)
			if !maps.Equal(tc.have, tc.want) {
				t.Errorf("annotations are %v, want %v", tc.have, tc.want)
			}
		})
	}
}

func TestUnfulfilled(t *testing.T) {
	const tasks, skip = "shoot.gardener.cloud/tasks", "shoot.gardener.cloud/skip-readiness"
	for name, tc := range map[string]struct{ current, ran, want map[string]string }{
		"nothing was requested":                         {nil, nil, nil},
		"GLT-38 what the run did is removed":            {map[string]string{tasks: "a,b", skip: "true", "x": "y"}, map[string]string{tasks: "a,b", skip: "true"}, map[string]string{"x": "y"}},
		"GLT-38 a request made meanwhile is kept":       {map[string]string{tasks: "a"}, nil, map[string]string{tasks: "a"}},
		"GLT-38 a task added meanwhile is kept":         {map[string]string{tasks: "a,b"}, map[string]string{tasks: "a"}, map[string]string{tasks: "b"}},
		"GLT-38 what a user took back stays away":       {map[string]string{}, map[string]string{tasks: "a"}, map[string]string{}},
		"skipping that was requested meanwhile is kept": {map[string]string{skip: "true"}, nil, map[string]string{skip: "true"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := unfulfilled(tc.current, tc.ran); !maps.Equal(got, tc.want) {
				t.Errorf("annotations are %v, want %v", got, tc.want)
			}
		})
	}
}
