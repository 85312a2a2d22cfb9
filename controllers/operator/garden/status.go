package garden

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/flow"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/rotation"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// status writes the last operation of one Garden during one reconciliation.
type status struct {
	client   client.Client
	clock    clock.PassiveClock
	gardener gardencorev1beta1.Gardener
	garden   *operatorv1alpha1.Garden
	kind     gardencorev1beta1.LastOperationType
	finish   bool // everything is done
	quiet    bool // nothing changed since the last success, so only an error is news
}

func (r *Reconciler) begin(garden *operatorv1alpha1.Garden) *status {
	last := garden.Status.LastOperation
	succeeded := last != nil && last.State == gardencorev1beta1.LastOperationStateSucceeded
	kind := gardencorev1beta1.LastOperationTypeReconcile
	if last == nil || last.Type == gardencorev1beta1.LastOperationTypeCreate && !succeeded {
		kind = gardencorev1beta1.LastOperationTypeCreate
	}
	return &status{
		client: r.Runtime, clock: r.Clock, gardener: r.Host.Gardener, garden: garden.DeepCopy(), kind: kind,
		quiet: succeeded && garden.Status.ObservedGeneration == garden.Generation,
	}
}

// progress reports a running flow. An error is not returned: the last report tells the outcome.
func (s *status) progress(ctx context.Context, p flow.Progress) {
	if s.quiet || p.Percent == 100 {
		return
	}
	_ = s.write(ctx, gardencorev1beta1.LastOperationStateProcessing, p.Percent, p.Description)
}

func (s *status) fail(ctx context.Context, err error) error {
	return s.write(ctx, gardencorev1beta1.LastOperationStateError, s.percent(), err.Error())
}

// succeed writes the phases of rotations that are reached, too.
func (s *status) succeed(ctx context.Context, description string) error {
	s.finish = true
	return s.write(ctx, gardencorev1beta1.LastOperationStateSucceeded, 100, description)
}

// percent is the progress that was reported last.
func (s *status) percent() int32 {
	if last := s.garden.Status.LastOperation; last != nil && last.State == gardencorev1beta1.LastOperationStateProcessing {
		return last.Progress
	}
	return 0
}

// write changes nothing if everything has been said already. Conditions are not of this package.
func (s *status) write(ctx context.Context, state gardencorev1beta1.LastOperationState, percent int32, description string) error {
	before := s.garden.DeepCopy()
	now := &s.garden.Status
	now.Gardener = ptr.To(s.gardener)
	if s.finish {
		rotation.Finish(now, s.clock.Now())
	}
	if state != gardencorev1beta1.LastOperationStateProcessing {
		now.ObservedGeneration = s.garden.Generation
	}
	next := gardencorev1beta1.LastOperation{Type: s.kind, State: state, Progress: percent, Description: description}
	if last := now.LastOperation; last == nil || last.Type != next.Type && !s.quiet || last.State != next.State || last.Progress != next.Progress || last.Description != next.Description {
		next.LastUpdateTime = metav1.NewTime(s.clock.Now())
		now.LastOperation = &next
	}
	return patch.Status(ctx, s.client, s.garden, before)
}

// description of a success names what the host does not run, and what has no effect there.
func description(h host.Host, garden *operatorv1alpha1.Garden) string {
	absent := map[string][]string{} // names by reason
	for _, component := range h.Components {
		if component.Serves == nil {
			absent[component.Absent] = append(absent[component.Absent], component.Name)
		}
	}
	text := "All components of the Garden serve."
	if len(absent) > 0 {
		var reasons []string
		for reason, names := range absent {
			slices.Sort(names)
			reasons = append(reasons, strings.Join(names, ", ")+" ("+reason+")")
		}
		slices.Sort(reasons)
		text += " Not deployed: " + strings.Join(reasons, "; ") + "."
	}
	if fields := inert(h, garden); len(fields) > 0 {
		reason := ", since the configuration of the landscape decides"
		if h.Inert != nil {
			reason = ""
		}
		text += " Without effect here" + reason + ": " + strings.Join(fields, ", ") + "."
	}
	return text
}
