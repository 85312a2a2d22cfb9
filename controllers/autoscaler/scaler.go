package autoscaler

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/autoscaler/group"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/scaledown"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/scaleup"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/simulate"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// Scaler looks at a cluster in rounds and changes the sizes of its groups of machines. Only one Scaler may work on a
// cluster.
type Scaler struct {
	// Control reads and writes machines. It has no cache, since each round builds on the writes of the previous one.
	Control client.Client
	// Target reads pods, nodes, DaemonSets and budgets from a cache, and writes nodes and evictions. TargetReader has no cache.
	Target       client.Client
	TargetReader client.Reader
	Recorder     events.EventRecorder
	Clock        clock.WithTicker
	Log          logr.Logger
	Options      Options
	Groups       []group.Bounds

	memory memory
}

// memory is the state kept between rounds that delays changes.
type memory struct {
	unneeded               map[string]time.Time // since when, by node
	added, deleted, failed time.Time
	backoffs               map[string]backoff // by group
}

// backoff is how long a group pauses after its machines did not become nodes.
type backoff struct {
	since time.Time
	pause time.Duration
}

// Start runs rounds until ctx ends. It logs a failed round and continues with the next one.
func (s *Scaler) Start(ctx context.Context) error {
	ticker := s.Clock.NewTicker(s.Options.ScanInterval)
	defer ticker.Stop()
	for {
		if err := s.Round(ctx); err != nil && ctx.Err() == nil {
			s.Log.Error(err, "Could not scale the cluster")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C():
		}
	}
}

// Round looks once and acts: it adds machines to groups, or else removes nodes.
func (s *Scaler) Round(ctx context.Context) error {
	v, err := s.look(ctx)
	if err != nil {
		return err
	}
	if err := s.unmark(ctx, v); err != nil {
		return err
	}
	if removed, err := s.removeOverdue(ctx, v); err != nil || removed {
		return err
	}
	plan, err := s.planGrowth(ctx, v)
	if err != nil {
		return err
	}
	for _, pod := range plan.Helpless {
		s.Recorder.Eventf(pod, nil, corev1.EventTypeNormal, "NotTriggerScaleUp", "ScaleUp", "pod didn't trigger scale-up: no group of machines would help it")
	}
	if len(plan.Grow) > 0 {
		return s.grow(ctx, v, plan)
	}
	return s.shrink(ctx, v)
}

func (s *Scaler) planGrowth(ctx context.Context, v *view) (scaleup.Plan, error) {
	if len(v.pending) == 0 {
		return scaleup.Plan{}, nil
	}
	expanders, err := s.expanders(ctx)
	if err != nil {
		return scaleup.Plan{}, err
	}
	in := scaleup.Input{Cluster: v.usable, Pods: v.pending, DaemonSets: v.daemonSets, Rests: s.rests, Expanders: expanders}
	for _, bounds := range s.Groups { // in the order of the flags
		if g := v.groups[bounds.Name]; g != nil {
			in.Groups = append(in.Groups, g)
		}
	}
	return scaleup.Decide(in), nil
}

func (s *Scaler) grow(ctx context.Context, v *view, plan scaleup.Plan) error {
	for name, n := range plan.Grow {
		g := v.groups[name]
		size, err := s.resize(ctx, g, n)
		if err != nil {
			return err
		}
		s.memory.added = s.Clock.Now()
		s.Log.Info("Added machines", "machineDeployment", name, "added", n, "size", size)
		for _, pod := range plan.Pods {
			s.Recorder.Eventf(pod, nil, corev1.EventTypeNormal, "TriggeredScaleUp", "ScaleUp", "pod triggered scale-up: %s %d->%d (max: %d)", name, g.Size, size, g.Max)
		}
	}
	return nil
}

// shrink records how long nodes have been unneeded, and removes those that were unneeded for long enough.
func (s *Scaler) shrink(ctx context.Context, v *view) error {
	if !s.Options.ScaleDown {
		return nil
	}
	v.all.PlaceAll(v.pending, func(n *simulate.Node) bool { return ready(n.Node) }) // nodes on which they will run are needed
	candidates := scaledown.Unneeded(scaledown.Input{
		Cluster: v.all, Ready: ready, Budgets: v.budgets, Settings: s.Options.Settings,
		GroupOf: func(n *simulate.Node) *group.Group {
			if marked(n.Node) {
				return nil
			}
			return v.groupOf[n.Name]
		},
	})
	now := s.Clock.Now()
	before := s.memory.unneeded
	s.memory.unneeded = map[string]time.Time{}
	for _, c := range candidates {
		since, known := before[c.Node.Name]
		if !known {
			since = now
			s.Log.V(1).Info("Node is unneeded", "node", c.Node.Name)
		}
		s.memory.unneeded[c.Node.Name] = since
	}
	if now.Sub(s.memory.added) < s.Options.DelayAfterAdd || now.Sub(s.memory.deleted) < s.Options.DelayAfterDelete ||
		now.Sub(s.memory.failed) < s.Options.DelayAfterFailure {
		return nil
	}
	ripe := scaledown.Ripe(candidates, s.Options.Settings, func(node string) time.Duration { return now.Sub(s.memory.unneeded[node]) })
	for _, c := range ripe {
		if err := s.remove(ctx, v, c); err != nil {
			s.memory.failed = s.Clock.Now()
			return err
		}
	}
	return nil
}

// removeOverdue gives up machines that did not become nodes, and pauses their groups, because other groups may
// succeed.
func (s *Scaler) removeOverdue(ctx context.Context, v *view) (bool, error) {
	removed := false
	for _, g := range v.groups {
		for _, machine := range v.machines[g.Name] {
			if node := v.nodes[machine.Labels[machinev1alpha1.NodeLabelKey]]; node != nil && ready(node) {
				continue // its phase is behind
			}
			if g.Size <= g.Min || !overdue(machine, g, s.Options.MaxNodeProvisionTime, s.Clock.Now()) {
				continue
			}
			if err := s.release(ctx, g, machine); err != nil {
				return removed, err
			}
			removed = true
			s.rest(g.Name)
			s.Log.Info("Gave up a machine that did not come", "machine", machine.Name, "machineDeployment", g.Name, "pause", s.memory.backoffs[g.Name].pause)
		}
	}
	return removed, nil
}

// rest pauses a group, each time for twice as long.
func (s *Scaler) rest(name string) {
	if s.memory.backoffs == nil {
		s.memory.backoffs = map[string]backoff{}
	}
	now, last := s.Clock.Now(), s.memory.backoffs[name]
	pause := min(2*last.pause, s.Options.MaxBackoff)
	if last.pause == 0 || now.Sub(last.since) > s.Options.BackoffReset {
		pause = s.Options.InitialBackoff
	}
	s.memory.backoffs[name] = backoff{since: now, pause: pause}
}

func (s *Scaler) rests(name string) bool {
	last, ok := s.memory.backoffs[name]
	return ok && s.Clock.Now().Sub(last.since) < last.pause
}

// unmark removes marks from nodes that are not removed after all. An earlier round may have ended between the mark
// and the new size.
func (s *Scaler) unmark(ctx context.Context, v *view) error {
	for name, node := range v.nodes {
		machine, g := v.machineOf[name], v.groupOf[name]
		if machine == nil || !marked(node) || len(v.machines[g.Name]) > g.Size {
			continue // the autoscaler did not mark it, or the group has one machine too many, and the marked one is removed
		}
		if err := s.mark(ctx, machine, machinev1alpha1.DefaultMachinePriority); err != nil {
			return err
		}
		if err := s.taint(ctx, node, false); err != nil {
			return err
		}
		s.Log.Info("Kept a node that was about to go", "node", name)
	}
	return nil
}
