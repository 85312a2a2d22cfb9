// Package backupbucket stores backup buckets.
package backupbucket

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind BackupBucket.
func Definition() resource.Definition[*core.BackupBucket] {
	return resource.Definition[*core.BackupBucket]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "BackupBucket",
		Plural:       "backupbuckets",
		Singular:     "backupbucket",
		ShortNames:   []string{"bbc"},
		Categories:   []string{"all"},
		New:          func() *core.BackupBucket { return &core.BackupBucket{} },
		NewList:      func() runtime.Object { return &core.BackupBucketList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.BackupBucket]{
			{Name: "Provider", Description: "type of the provider", Value: func(b *core.BackupBucket) any { return b.Spec.Provider.Type }},
			{Name: "Seed", Description: "seed that manages the bucket", Value: func(b *core.BackupBucket) any { return cells.String(b.Spec.SeedName) }},
			{Name: "Operation", Description: "state of the last operation", Empty: cells.Pending, Value: func(b *core.BackupBucket) any { return cells.State(b.Status.LastOperation) }},
			{Name: "Progress", Description: "progress of the last operation in percent", Type: "integer", Value: func(b *core.BackupBucket) any { return cells.Progress(b.Status.LastOperation) }},
		},
		Fields: map[string]func(*core.BackupBucket) string{
			"spec.seedName":           func(b *core.BackupBucket) string { return cells.String(b.Spec.SeedName) },
			"spec.shootRef.name":      func(b *core.BackupBucket) string { return shootRef(b).Name },
			"spec.shootRef.namespace": func(b *core.BackupBucket) string { return shootRef(b).Namespace },
		},
	}
}

func shootRef(b *core.BackupBucket) corev1.ObjectReference {
	return ptr.Deref(b.Spec.ShootRef, corev1.ObjectReference{})
}
