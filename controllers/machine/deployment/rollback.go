package deployment

import (
	"context"
	"strconv"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// rollback gives the deployment the template of an earlier set. It removes the request even if there is no such set.
func (r *Reconciler) rollback(ctx context.Context, s *scope) error {
	target := s.former(s.deployment.Spec.RollbackTo.Revision)
	if target == nil {
		log.FromContext(ctx).Info("Revision to roll back to does not exist", "revision", s.deployment.Spec.RollbackTo.Revision)
	}
	return patch.Metadata(ctx, r.Client, s.deployment, func() {
		if target != nil {
			template := target.Spec.Template.DeepCopy()
			delete(template.Labels, machinev1alpha1.MachineTemplateHashLabel)
			s.deployment.Spec.Template = *template
		}
		s.deployment.Spec.RollbackTo = nil
	})
}

// former returns the set of a revision, or the newest set before the current one for 0; nil if there is none.
func (s *scope) former(wanted int64) *machinev1alpha1.MachineSet {
	var found *machinev1alpha1.MachineSet
	for _, set := range s.old {
		if wanted == 0 && (found == nil || revision(set) > revision(found)) || wanted != 0 && revision(set) == wanted {
			found = set
		}
	}
	return found
}

// revision is the number of a set in the history, 0 if it has none.
func revision(set *machinev1alpha1.MachineSet) int64 {
	n, err := strconv.ParseInt(set.Annotations[machinev1alpha1.RevisionAnnotation], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (s *scope) newestRevision() int64 {
	newest := int64(0)
	for _, set := range s.sets() {
		newest = max(newest, revision(set))
	}
	return newest
}
