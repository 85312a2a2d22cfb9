package app

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
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
