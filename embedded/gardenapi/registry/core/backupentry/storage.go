// Package backupentry stores backup entries.
package backupentry

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/cells"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

// Definition of the kind BackupEntry.
func Definition() resource.Definition[*core.BackupEntry] {
	return resource.Definition[*core.BackupEntry]{
		GroupVersion: core.SchemeGroupVersion,
		Kind:         "BackupEntry",
		Plural:       "backupentries",
		Singular:     "backupentry",
		ShortNames:   []string{"bec"},
		Categories:   []string{"all"},
		New:          func() *core.BackupEntry { return &core.BackupEntry{} },
		NewList:      func() runtime.Object { return &core.BackupEntryList{} },
		Strategy:     strategy(),
		Columns: []resource.Column[*core.BackupEntry]{
			{Name: "Bucket", Description: "bucket of the entry", Value: func(b *core.BackupEntry) any { return b.Spec.BucketName }},
			{Name: "Seed", Description: "seed that manages the entry", Value: func(b *core.BackupEntry) any { return cells.String(b.Spec.SeedName) }},
			{Name: "Operation", Description: "state of the last operation", Empty: cells.Pending, Value: func(b *core.BackupEntry) any { return cells.State(b.Status.LastOperation) }},
			{Name: "Progress", Description: "progress of the last operation in percent", Type: "integer", Value: func(b *core.BackupEntry) any { return cells.Progress(b.Status.LastOperation) }},
		},
		Fields: map[string]func(*core.BackupEntry) string{
			"spec.seedName":           func(b *core.BackupEntry) string { return cells.String(b.Spec.SeedName) },
			"spec.bucketName":         func(b *core.BackupEntry) string { return b.Spec.BucketName },
			"spec.shootRef.name":      func(b *core.BackupEntry) string { return shootRef(b).Name },
			"spec.shootRef.namespace": func(b *core.BackupEntry) string { return shootRef(b).Namespace },
		},
	}
}

func shootRef(b *core.BackupEntry) corev1.ObjectReference {
	return ptr.Deref(b.Spec.ShootRef, corev1.ObjectReference{})
}
