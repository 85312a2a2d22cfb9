package flow

import (
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/facts"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// learned are the facts that a step of the creation makes true.
var learned = map[string]func(*facts.Facts){
	Namespace:           func(f *facts.Facts) { f.NamespaceActive = true },
	Infrastructure:      func(f *facts.Facts) { f.InfrastructureExists = true },
	InfrastructureReady: func(f *facts.Facts) { f.InfrastructureUsable = true },
	Etcd:                func(f *facts.Facts) { f.EtcdExists = true },
	APIServer:           func(f *facts.Facts) { f.APIServerExists, f.APIServerRuns = true, true },
	Controllers:         func(f *facts.Facts) { f.ControllersExist = true },
	ControlPlane:        func(f *facts.Facts) { f.ControlPlaneExists = true },
}

// undone are the steps of the deletion that remove what a step of the creation has made.
var undone = map[string][]string{
	Namespace:        {NamespaceDelete, NamespaceGone},
	Service:          {ServiceDestroy},
	Route:            {RouteDestroy},
	Referenced:       {ReferencedDelete},
	InternalDNS:      {InternalDNSDestroy},
	ExternalDNS:      {ExternalDNSDestroy},
	Infrastructure:   {InfrastructureDestroy, InfrastructureGone},
	BackupEntry:      {BackupEntryDelete},
	Etcd:             {EtcdDestroy, EtcdGone},
	ExtensionsBefore: {LateExtensionsDelete, AllExtensionsGone},
	APIServer:        {APIServerDelete, APIServerGone},
	Published:        {ShootStateDelete},
	ShootState:       {ShootStateDelete},
	ResourceManager:  {ResourceManagerGone},
	ControlPlane:     {ControlPlaneDestroy, ControlPlaneGone},
	Access:           {ManagedDelete, ManagedGone, ShootManagedGone},
	ExtensionsAfter:  {EarlyExtensionsDelete, EarlyExtensionsGone},
	Runtimes:         {RuntimesDelete, StaleRuntimesGone},
	OSConfigs:        {OSConfigsDelete, OSConfigsGone},
	Network:          {NetworkDestroy, NetworkGone},
	IngressDNS:       {IngressDNSDestroy},
	Workers:          {WorkersDestroy, WorkersGone},
	MachineManager:   {MachineManagerDelete},
	Autoscaler:       {AutoscalerDelete},
	ExtensionsLast:   {LateExtensionsDelete, AllExtensionsGone},
}

// TestDeletionsOfAbortedCreations aborts a creation after each of its steps, with and without those that run beside it. The deletion must
// remove what has been made until then.
func TestDeletionsOfAbortedCreations(t *testing.T) {
	kinds := map[string][]func(*gardencorev1beta1.Shoot){"with workers": nil, "without workers": {workerless}}
	for kind, changes := range kinds {
		creation := stepsOf(t, planFor(shootWithWorkers(changes...), facts.Facts{}).Reconcile)
		for i, last := range creation {
			if last.skipped {
				continue
			}
			t.Run("GLT-34 a shoot "+kind+" whose creation ended with "+last.name, func(t *testing.T) {
				t.Run("and everything that may run before it", func(t *testing.T) { undo(t, creation[:i+1], changes) })
				t.Run("and only what must run before it", func(t *testing.T) { undo(t, needed(creation, last.name), changes) })
			})
		}
	}
}

// undo checks that a deletion removes what the steps have made.
func undo(t *testing.T, done []line, changes []func(*gardencorev1beta1.Shoot)) {
	t.Helper()
	var found facts.Facts
	var must []string
	for _, step := range done {
		if learn := learned[step.name]; learn != nil && !step.skipped {
			learn(&found)
		}
		if !step.skipped {
			must = append(must, undone[step.name]...)
		}
	}
	plan := planFor(shootWithWorkers(append([]func(*gardencorev1beta1.Shoot){deleted}, changes...)...), found)
	runs := map[string]bool{}
	for _, step := range stepsOf(t, plan.Delete) {
		runs[step.name] = !step.skipped
	}
	for _, name := range must {
		if !runs[name] {
			t.Errorf("with %+v the deletion leaves out %q", found, name)
		}
	}
}

// line is a step of a graph.
type line struct {
	name    string
	skipped bool
	after   []string
}

// stepsOf returns the steps of a flow in an order in which they can run.
func stepsOf(t *testing.T, build func() (*graph.Graph, error)) (out []line) {
	t.Helper()
	order, err := build()
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(order.String()) {
		name, predecessors, _ := strings.Cut(strings.TrimSpace(text), " <- ")
		skipped := strings.HasPrefix(name, "-")
		_, name, _ = strings.Cut(strings.TrimLeft(name, "- "), " ") // without its mark and its round
		step := line{name: name, skipped: skipped}
		if predecessors != "" {
			step.after = strings.Split(predecessors, " | ")
		}
		out = append(out, step)
	}
	return out
}

// needed returns a step with all that it comes after.
func needed(all []line, name string) (out []line) {
	wanted := map[string]bool{name: true}
	for changed := true; changed; {
		changed = false
		for _, step := range all {
			for _, predecessor := range step.after {
				if wanted[step.name] && !wanted[predecessor] {
					wanted[predecessor], changed = true, true
				}
			}
		}
	}
	for _, step := range all {
		if wanted[step.name] {
			out = append(out, step)
		}
	}
	return out
}
