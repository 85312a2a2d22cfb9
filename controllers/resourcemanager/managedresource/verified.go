package managedresource

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// trust is for how many sync periods the watches of the target are believed before all objects are read again.
const trust = 10

// verification says that a pass found everything as it should be, and of what that was true.
type verification struct {
	at         time.Time
	generation int64
	gaps       uint64   // of the watches of the target
	secrets    []string // resource versions, in the order of spec.secretRefs
}

// remember notes that all is well. It is only of use when changes of the target will be told.
func (p *pass) remember(data secretData) {
	if p.Drift == nil || p.AlwaysUpdate {
		return
	}
	v := verification{at: p.Clock.Now(), generation: p.resource.Generation, gaps: p.gaps}
	for _, secret := range data.secrets {
		v.secrets = append(v.secrets, secret.ResourceVersion)
	}
	p.verified.Store(client.ObjectKeyFromObject(p.resource), v)
}

// stillVerified reports whether nothing can have changed since an earlier pass found all well.
func (p *pass) stillVerified(ctx context.Context) bool {
	found, ok := p.verified.Load(client.ObjectKeyFromObject(p.resource))
	if !ok || p.resource.DeletionTimestamp != nil || manifest.Flag(p.resource.Annotations, resourcesv1alpha1.Ignore) {
		return false
	}
	v := found.(verification)
	if v.generation != p.resource.Generation || len(v.secrets) != len(p.resource.Spec.SecretRefs) || !p.appliedInFull() ||
		v.gaps != p.Drift.Gaps() || p.Clock.Since(v.at) > trust*p.SyncPeriod {
		return false
	}
	for i, ref := range p.resource.Spec.SecretRefs {
		secret := &metav1.PartialObjectMetadata{}
		secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		err := p.Source.Get(ctx, types.NamespacedName{Namespace: p.resource.Namespace, Name: ref.Name}, secret)
		if err != nil || secret.ResourceVersion != v.secrets[i] || secret.DeletionTimestamp != nil {
			return false
		}
	}
	return true
}

// appliedInFull guards against a status that somebody took away.
func (p *pass) appliedInFull() bool {
	return p.resource.Status.SecretsDataChecksum != nil && p.resource.Status.ObservedGeneration == p.resource.Generation
}

// track notes what was in the status, and how trustworthy watches were, before this pass.
func (p *pass) track() {
	p.tracked = make(map[string]bool, len(p.resource.Status.Resources))
	for _, ref := range p.resource.Status.Resources {
		p.tracked[key(kindOf(ref), ref.Namespace, ref.Name)] = true
	}
	if p.Drift != nil {
		p.gaps = p.Drift.Gaps()
	}
}

// note makes later changes of the object news.
func (p *pass) note(object *unstructured.Unstructured) {
	if p.Drift == nil || object == nil || object.GetUID() == "" {
		return
	}
	p.Drift.Note(client.ObjectKeyFromObject(p.resource), object)
	mapping, err := p.Target.RESTMapper().RESTMapping(object.GroupVersionKind().GroupKind(), object.GroupVersionKind().Version)
	if err == nil {
		p.Drift.Watch(mapping.Resource)
	}
}

// changed is called by the watches: the next pass has to look at everything.
func (r *Reconciler) changed(owner types.NamespacedName) { r.verified.Delete(owner) }
