package remove

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

var statefulSetKind = schema.GroupKind{Group: "apps", Kind: "StatefulSet"}

// finalizeOverdue removes the finalizers of an object whose deletion takes longer than its annotation allows.
func (r Remover) finalizeOverdue(ctx context.Context, live *unstructured.Unstructured, ref resourcesv1alpha1.ObjectReference) error {
	value := live.GetAnnotations()[resourcesv1alpha1.FinalizeDeletionAfter]
	if value == "" {
		value = ref.Annotations[resourcesv1alpha1.FinalizeDeletionAfter]
	}
	if value == "" || len(live.GetFinalizers()) == 0 {
		return nil
	}
	allowed, err := time.ParseDuration(value)
	if err != nil {
		return fmt.Errorf("annotation %s of %s: %w", resourcesv1alpha1.FinalizeDeletionAfter, manifest.Describe(live), err)
	}
	if r.Clock.Since(live.GetDeletionTimestamp().Time) < allowed {
		return nil
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	if err := r.Target.Patch(ctx, live, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("remove finalizers of %s: %w", manifest.Describe(live), err)
	}
	return nil
}

// deleteVolumeClaims deletes the claims of a StatefulSet that is about to be deleted, if the ManagedResource says so.
// They are deleted before the StatefulSet, since their names cannot be determined without it. Claims in use are
// protected and stay until their pods are gone.
func (r Remover) deleteVolumeClaims(ctx context.Context, set *unstructured.Unstructured) error {
	if !r.DeleteVolumeClaims || set.GroupVersionKind().GroupKind() != statefulSetKind {
		return nil
	}
	templates, _, err := unstructured.NestedSlice(set.Object, "spec", "volumeClaimTemplates")
	if err != nil || len(templates) == 0 {
		return err
	}
	claims := &metav1.PartialObjectMetadataList{}
	claims.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaimList"))
	if err := r.Target.List(ctx, claims, client.InNamespace(set.GetNamespace())); err != nil {
		return fmt.Errorf("list volume claims of %s: %w", manifest.Describe(set), err)
	}
	for i := range claims.Items {
		claim := &claims.Items[i]
		if !madeFrom(templates, set.GetName(), claim.Name) {
			continue
		}
		claim.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"))
		if err := r.Target.Delete(ctx, claim); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete volume claim %q: %w", claim.Name, err)
		}
	}
	return nil
}

// madeFrom reports whether the name is "<template>-<set>-<ordinal>".
func madeFrom(templates []any, set, claim string) bool {
	for _, item := range templates {
		template, _ := item.(map[string]any)
		name, _, _ := unstructured.NestedString(template, "metadata", "name")
		if ordinal, found := strings.CutPrefix(claim, name+"-"+set+"-"); found {
			if _, err := strconv.ParseUint(ordinal, 10, 31); err == nil {
				return true
			}
		}
	}
	return false
}
