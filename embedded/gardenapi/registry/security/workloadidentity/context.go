package workloadidentity

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// reference names an object in the claim gardener.cloud.
type reference struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
	UID       string `json:"uid"`
}

func referenceTo(object metav1.Object) reference {
	return reference{Name: object.GetName(), Namespace: object.GetNamespace(), UID: string(object.GetUID())}
}

// contextKind is a kind of objects that tokens can be for.
type contextKind struct {
	version       schema.GroupVersion
	plural, claim string
}

var contexts = map[string]contextKind{
	"Shoot":        {core.SchemeGroupVersion, "shoots", "shoot"},
	"Seed":         {core.SchemeGroupVersion, "seeds", "seed"},
	"Project":      {core.SchemeGroupVersion, "projects", "project"},
	"BackupBucket": {core.SchemeGroupVersion, "backupbuckets", "backupBucket"},
	"BackupEntry":  {core.SchemeGroupVersion, "backupentries", "backupEntry"},
}

// addOwners adds the seed that the object refers to and the project of its namespace. It leaves out objects that do not
// exist.
func (r *tokenREST) addOwners(ctx context.Context, object runtime.Object, about map[string]reference) error {
	var seed *string
	switch o := object.(type) {
	case *core.Shoot:
		seed = o.Spec.SeedName
	case *core.BackupBucket:
		seed = o.Spec.SeedName
	case *core.BackupEntry:
		seed = o.Spec.SeedName
	}
	if name := ptr.Deref(seed, ""); name != "" {
		if found, err := r.Find(ctx, core.Resource("seeds"), "", name); err == nil {
			about["seed"] = referenceTo(found.(*core.Seed))
		}
	}
	namespace := object.(metav1.Object).GetNamespace()
	if namespace == "" || r.ProjectOf == nil {
		return nil
	}
	project, err := r.ProjectOf(ctx, namespace)
	if err != nil {
		return err
	}
	if project != nil {
		about["project"] = referenceTo(project)
	}
	return nil
}
