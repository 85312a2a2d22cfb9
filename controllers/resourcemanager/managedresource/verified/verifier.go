// Package verified remembers which ManagedResources were found as desired, so that a pass can be spared while nothing can
// have changed.
package verified

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// trust is how many sync periods pass without reading all objects, as long as the watches of the target report no
// change.
const trust = 10

// Records are the verifications of all ManagedResources. The zero value is ready to use, by several goroutines.
type Records struct {
	byName sync.Map // verification by types.NamespacedName
}

// verification records that a pass found everything as desired, and for which versions.
type verification struct {
	at         time.Time
	generation int64
	gaps       uint64   // of the watches of the target
	secrets    []string // resource versions, in the order of spec.secretRefs
}

// Forget makes the next pass read everything.
func (r *Records) Forget(name types.NamespacedName) { r.byName.Delete(name) }

// Verifier decides whether a pass can be spared. All fields are required.
type Verifier struct {
	Records    *Records
	Source     client.Reader // reads metadata of Secrets, may be cached
	Clock      clock.PassiveClock
	Gaps       func() uint64 // count of gaps of the watches of the target
	SyncPeriod time.Duration
}

// Remember records that everything is as desired. Gaps are those from before the pass. It is only right if the watches of
// the target report changes.
func (v Verifier) Remember(resource *resourcesv1alpha1.ManagedResource, secrets []corev1.Secret, gaps uint64) {
	found := verification{at: v.Clock.Now(), generation: resource.Generation, gaps: gaps}
	for _, secret := range secrets {
		found.secrets = append(found.secrets, secret.ResourceVersion)
	}
	v.Records.byName.Store(client.ObjectKeyFromObject(resource), found)
}

// Holds reports whether nothing can have changed since an earlier pass found everything as desired.
func (v Verifier) Holds(ctx context.Context, resource *resourcesv1alpha1.ManagedResource) bool {
	value, ok := v.Records.byName.Load(client.ObjectKeyFromObject(resource))
	if !ok || resource.DeletionTimestamp != nil || manifest.Flag(resource.Annotations, resourcesv1alpha1.Ignore) {
		return false
	}
	found := value.(verification)
	if found.generation != resource.Generation || len(found.secrets) != len(resource.Spec.SecretRefs) || !appliedInFull(resource) ||
		found.gaps != v.Gaps() || v.Clock.Since(found.at) > trust*v.SyncPeriod {
		return false
	}
	for i, ref := range resource.Spec.SecretRefs {
		secret := &metav1.PartialObjectMetadata{}
		secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		err := v.Source.Get(ctx, types.NamespacedName{Namespace: resource.Namespace, Name: ref.Name}, secret)
		if err != nil || secret.ResourceVersion != found.secrets[i] || secret.DeletionTimestamp != nil {
			return false
		}
	}
	return true
}

// appliedInFull guards against a status that was removed meanwhile.
func appliedInFull(resource *resourcesv1alpha1.ManagedResource) bool {
	return resource.Status.SecretsDataChecksum != nil && resource.Status.ObservedGeneration == resource.Generation
}
