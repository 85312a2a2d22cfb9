package cleanup

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// round is one round of deleting objects of users in the shoot, so that no resources behind them outlive the shoot.
type round struct {
	kinds []schema.GroupVersionKind
	// force is how long finalizers may block the deletion of an object; an annotation of the Shoot may replace it.
	force      time.Duration
	annotation string
}

func kind(group, version, name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: name}
}

var (
	webhooks = round{
		kinds:      []schema.GroupVersionKind{kind("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration"), kind("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration")},
		force:      5 * time.Minute,
		annotation: constants.ShootCleanupWebhooksFinalizeGracePeriodSeconds,
	}
	extendedAPIs = round{
		kinds:      []schema.GroupVersionKind{kind("apiregistration.k8s.io", "v1", "APIService"), kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")},
		force:      time.Hour,
		annotation: constants.ShootCleanupExtendedAPIsFinalizeGracePeriodSeconds,
	}
	resources = round{
		kinds: []schema.GroupVersionKind{
			kind("batch", "v1", "CronJob"), kind("apps", "v1", "DaemonSet"), kind("apps", "v1", "Deployment"), kind("networking.k8s.io", "v1", "Ingress"),
			kind("batch", "v1", "Job"), kind("", "v1", "Pod"), kind("apps", "v1", "ReplicaSet"), kind("", "v1", "ReplicationController"),
			kind("", "v1", "Service"), kind("apps", "v1", "StatefulSet"), kind("", "v1", "PersistentVolumeClaim"),
		},
		force:      5 * time.Minute,
		annotation: constants.ShootCleanupKubernetesResourcesFinalizeGracePeriodSeconds,
	}
	// volumes are deleted even if users asked to skip the other rounds, since volumes cost money outside of the
	// cluster.
	volumes = round{
		kinds:      []schema.GroupVersionKind{kind("", "v1", "Service"), kind("", "v1", "PersistentVolumeClaim")},
		force:      5 * time.Minute,
		annotation: constants.ShootCleanupKubernetesResourcesFinalizeGracePeriodSeconds,
	}
	snapshots = round{
		kinds: []schema.GroupVersionKind{kind("snapshot.storage.k8s.io", "v1", "VolumeSnapshot"), kind("snapshot.storage.k8s.io", "v1", "VolumeSnapshotContent")},
		force: time.Hour,
	}
)
