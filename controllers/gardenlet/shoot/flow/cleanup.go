package flow

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// cleaning is one round of removing users' objects from the shoot, so that nothing they stand for outlives it.
type cleaning struct {
	kinds []schema.GroupVersionKind
	// force is how long an object may hold on by its finalizers; an annotation of the Shoot may shorten it.
	force      time.Duration
	annotation string
}

// gracePeriod is what objects get to end by themselves.
const gracePeriod = 5 * time.Minute

func kind(group, version, name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: name}
}

var (
	webhooks = cleaning{
		kinds:      []schema.GroupVersionKind{kind("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration"), kind("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration")},
		force:      5 * time.Minute,
		annotation: constants.ShootCleanupWebhooksFinalizeGracePeriodSeconds,
	}
	extendedAPIs = cleaning{
		kinds:      []schema.GroupVersionKind{kind("apiregistration.k8s.io", "v1", "APIService"), kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")},
		force:      time.Hour,
		annotation: constants.ShootCleanupExtendedAPIsFinalizeGracePeriodSeconds,
	}
	resources = cleaning{
		kinds: []schema.GroupVersionKind{
			kind("batch", "v1", "CronJob"), kind("apps", "v1", "DaemonSet"), kind("apps", "v1", "Deployment"), kind("networking.k8s.io", "v1", "Ingress"),
			kind("batch", "v1", "Job"), kind("", "v1", "Pod"), kind("apps", "v1", "ReplicaSet"), kind("", "v1", "ReplicationController"),
			kind("", "v1", "Service"), kind("apps", "v1", "StatefulSet"), kind("", "v1", "PersistentVolumeClaim"),
		},
		force:      5 * time.Minute,
		annotation: constants.ShootCleanupKubernetesResourcesFinalizeGracePeriodSeconds,
	}
	// volumes are cleaned even where users asked to skip the rest: they cost money outside of the cluster.
	volumes = cleaning{
		kinds:      []schema.GroupVersionKind{kind("", "v1", "Service"), kind("", "v1", "PersistentVolumeClaim")},
		force:      5 * time.Minute,
		annotation: constants.ShootCleanupKubernetesResourcesFinalizeGracePeriodSeconds,
	}
	snapshots = cleaning{
		kinds: []schema.GroupVersionKind{kind("snapshot.storage.k8s.io", "v1", "VolumeSnapshot"), kind("snapshot.storage.k8s.io", "v1", "VolumeSnapshotContent")},
		force: time.Hour,
	}
)

func (p *Plan) cleanWebhooks(ctx context.Context) error     { return p.clean(ctx, webhooks) }
func (p *Plan) cleanExtendedAPIs(ctx context.Context) error { return p.clean(ctx, extendedAPIs) }

// cleanResources empties the cluster. Snapshots go last, since their controllers may be among the rest.
func (p *Plan) cleanResources(ctx context.Context) error {
	round := resources
	if p.Shoot.Annotations[constants.ShootSkipCleanup] == "true" {
		round = volumes
	}
	if err := p.clean(ctx, round); err != nil {
		return err
	}
	return p.clean(ctx, snapshots)
}

// clean deletes all objects of the round's kinds that are the users', and waits until they are gone.
func (p *Plan) clean(ctx context.Context, round cleaning) error {
	force := round.force
	if text, ok := p.Shoot.Annotations[round.annotation]; ok {
		if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
			force = min(force, time.Duration(seconds)*time.Second)
		}
	}
	return poll(ctx, func() error {
		var left []string
		for _, gvk := range round.kinds {
			names, err := p.cleanKind(ctx, gvk, force)
			if err != nil {
				return err
			}
			left = append(left, names...)
		}
		if len(left) > 0 {
			return contract.WithCodes(fmt.Errorf("still in the cluster: %s", shortList(left)), gardencorev1beta1.ErrorCleanupClusterResources)
		}
		return nil
	})
}

// cleanKind deletes the objects of a kind and returns what is left of them. A kind that the cluster does not know has none.
func (p *Plan) cleanKind(ctx context.Context, gvk schema.GroupVersionKind, force time.Duration) (left []string, err error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := p.shoot.List(ctx, list); err != nil {
		if meta.IsNoMatchError(err) || client.IgnoreNotFound(err) == nil {
			return nil, nil
		}
		return nil, fmt.Errorf("list objects of kind %s: %w", gvk.Kind, err)
	}
	for i := range list.Items {
		object := &list.Items[i]
		if Kept(object) {
			continue
		}
		left = append(left, gvk.Kind+" "+client.ObjectKeyFromObject(object).String())
		if err := p.cleanObject(ctx, object, force); err != nil {
			return nil, err
		}
	}
	return left, nil
}

func (p *Plan) cleanObject(ctx context.Context, object *unstructured.Unstructured, force time.Duration) error {
	deleted := object.GetDeletionTimestamp()
	switch {
	case deleted == nil:
		grace := int64(gracePeriod / time.Second)
		if force < gracePeriod {
			grace = int64(force / time.Second)
		}
		err := p.shoot.Delete(ctx, object, &client.DeleteOptions{GracePeriodSeconds: ptr.To(grace), PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)})
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %s %q: %w", object.GetKind(), client.ObjectKeyFromObject(object), err)
		}
	case p.Clock.Since(deletedAt(object)) >= force:
		return p.finalize(ctx, object)
	}
	return nil
}

// deletedAt is when the deletion was asked for; the timestamp is later by the grace period.
func deletedAt(object *unstructured.Unstructured) time.Time {
	grace := time.Duration(ptr.Deref(object.GetDeletionGracePeriodSeconds(), 0)) * time.Second
	return object.GetDeletionTimestamp().Add(-grace)
}

// finalize takes away what keeps an object from going.
func (p *Plan) finalize(ctx context.Context, object *unstructured.Unstructured) error {
	if len(object.GetFinalizers()) > 0 {
		err := p.shoot.Patch(ctx, object, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)))
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("remove finalizers of %s %q: %w", object.GetKind(), client.ObjectKeyFromObject(object), err)
		}
		return nil
	}
	if object.GetKind() == "Pod" {
		if err := p.shoot.Delete(ctx, object, client.GracePeriodSeconds(0)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete pod %q at once: %w", client.ObjectKeyFromObject(object), err)
		}
	}
	return nil
}

// Kept tells whether an object is none of the users', or is to stay for other reasons.
func Kept(object client.Object) bool {
	labels := object.GetLabels()
	if labels[constants.ShootNoCleanup] == "true" || labels[constants.GardenRole] == constants.GardenRoleSystemComponent {
		return true
	}
	switch object.GetObjectKind().GroupVersionKind().Kind {
	case "Service":
		return object.GetNamespace() == metav1.NamespaceDefault && object.GetName() == "kubernetes"
	case "APIService":
		return labels["kube-aggregator.kubernetes.io/automanaged"] != ""
	}
	return false
}

// shortList names the first few.
func shortList(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
