package managedresource

import (
	"context"
	"time"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/apply"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/desired"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/origin"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/remove"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/secrets"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/status"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/verified"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Intervals between passes while objects are still changing. Objects usually settle within seconds; after patience,
// they are checked less often.
const (
	soon     = time.Second
	later    = 10 * time.Second
	patience = 3 * time.Minute
)

// pass is one run over one ManagedResource. It puts the parts together that do the work, and collects the new status in
// resource.
type pass struct {
	settings *Reconciler
	resource *resourcesv1alpha1.ManagedResource
	saved    *resourcesv1alpha1.ManagedResource // as the source cluster has it

	keeper   secrets.Keeper
	owner    origin.Owner
	report   status.Report // of resource
	verifier verified.Verifier
	changes  changes
}

// pass prepares a run over a ManagedResource, which it does not change.
func (r *Reconciler) pass(saved *resourcesv1alpha1.ManagedResource) *pass {
	resource := saved.DeepCopy()
	changes := changes{drift: r.Drift, mapper: r.Target.RESTMapper(), owner: client.ObjectKeyFromObject(saved)}
	return &pass{
		settings: r, resource: resource, saved: saved, changes: changes,
		keeper:   secrets.Keeper{Source: r.Source, Reader: r.Reader, Finalizer: Finalizer(r.Class), Responsible: r.responsible},
		owner:    origin.Owner{Target: r.Target, Origin: manifest.Origin(r.ClusterID, saved.Namespace, saved.Name)},
		report:   status.Report{Resource: resource, Clock: r.Clock},
		verifier: verified.Verifier{Records: &r.verified, Source: r.Source, Clock: r.Clock, Gaps: changes.gaps, SyncPeriod: r.SyncPeriod},
	}
}

func (p *pass) addFinalizer(ctx context.Context) error {
	err := patch.Metadata(ctx, p.settings.Source, p.resource, func() {
		controllerutil.AddFinalizer(p.resource, Finalizer(p.settings.Class))
	})
	p.saved = p.resource.DeepCopy()
	return err
}

func (p *pass) removeFinalizer(ctx context.Context) error {
	return client.IgnoreNotFound(patch.Metadata(ctx, p.settings.Source, p.resource, func() {
		controllerutil.RemoveFinalizer(p.resource, Finalizer(p.settings.Class))
	}))
}

func (p *pass) saveStatus(ctx context.Context) error {
	err := patch.Status(ctx, p.settings.Source, p.resource, p.saved)
	p.saved = p.resource.DeepCopy()
	p.settings.writes.note(p.resource, p.settings.Clock.Now())
	return err
}

func (p *pass) decoder() desired.Decoder {
	return desired.Decoder{
		Mapper: p.settings.Target.RESTMapper(), Origin: p.owner.Origin, ManagedByLabel: p.settings.ManagedByLabel, InjectLabels: p.resource.Spec.InjectLabels,
	}
}

func (p *pass) phases(tracked map[string]bool, unchanged bool) apply.Phases {
	return apply.Phases{
		Writer: apply.Writer{
			Target: p.settings.Target, Owner: p.owner, Tracked: tracked, Unchanged: unchanged,
			ForceLabels:      ptr.Deref(p.resource.Spec.ForceOverwriteLabels, false),
			ForceAnnotations: ptr.Deref(p.resource.Spec.ForceOverwriteAnnotations, false),
		},
		Written: p.changes.note,
	}
}

func (p *pass) remover() remove.Remover {
	return remove.Remover{
		Target: p.settings.Target, Clock: p.settings.Clock, Owner: p.owner, GarbageCollected: p.settings.GarbageCollected,
		KeepObjects:        ptr.Deref(p.resource.Spec.KeepObjects, false),
		DeleteVolumeClaims: ptr.Deref(p.resource.Spec.DeletePersistentVolumeClaims, false),
	}
}

// pace returns when to check objects again that are not healthy or not rolled out.
func (p *pass) pace() time.Duration {
	if p.report.SinceTransition() < patience {
		return soon
	}
	return min(later, p.settings.SyncPeriod)
}
