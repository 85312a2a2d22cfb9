package managedresource

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/secrets"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// trust is how many sync periods pass without reading all objects, as long as the watches of the target report no
// change.
const trust = 10

// verification records that a pass found everything as desired, and for which versions.
type verification struct {
	at         time.Time
	generation int64
	gaps       uint64   // of the watches of the target
	secrets    []string // resource versions, in the order of spec.secretRefs
}

// remember records that everything is as desired. It is only useful if changes of the target are reported.
func (p *pass) remember(data secrets.Data) {
	if p.Drift == nil || p.AlwaysUpdate {
		return
	}
	v := verification{at: p.Clock.Now(), generation: p.resource.Generation, gaps: p.gaps}
	for _, secret := range data.Secrets {
		v.secrets = append(v.secrets, secret.ResourceVersion)
	}
	p.verified.Store(client.ObjectKeyFromObject(p.resource), v)
}

// stillVerified reports whether nothing can have changed since an earlier pass found everything as desired.
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

// appliedInFull guards against a status that was removed meanwhile.
func (p *pass) appliedInFull() bool {
	return p.resource.Status.SecretsDataChecksum != nil && p.resource.Status.ObservedGeneration == p.resource.Generation
}

// track records what was in the status, and the gaps of the watches, before this pass.
func (p *pass) track() {
	p.tracked = make(map[string]bool, len(p.resource.Status.Resources))
	for _, ref := range p.resource.Status.Resources {
		p.tracked[manifest.Referred(ref)] = true
	}
	if p.Drift != nil {
		p.gaps = p.Drift.Gaps()
	}
}

// note makes the watches report later changes of the object.
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

// changed is called by the watches: the next pass must read everything.
func (r *Reconciler) changed(owner types.NamespacedName) { r.verified.Delete(owner) }
