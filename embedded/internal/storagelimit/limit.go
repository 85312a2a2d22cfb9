// Package storagelimit keeps users from filling the storage of an API server. While the storage is full for them, they can
// delete, and make objects smaller. The rest of the storage is left to the components that keep the clusters alive. When the disk
// is full, this applies to components, too.
package storagelimit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Full is nil if a user may store so many more bytes in a namespace. Otherwise the error says how full the storage is and which
// resources of the namespace take most space. The namespace is empty for objects without one.
type Full func(namespace string, more int64) error

// Reason of the errors that users get. Their status code is 507.
const Reason metav1.StatusReason = "InsufficientStorage"

// Limit is nothing without Full, Disk and Etcds.
type Limit struct {
	Full Full
	// Disk is nil while the disk has room for users or, if essential, for components and operators.
	Disk func(essential bool) error
	// Etcds is the same for the disks of the etcd that stores a resource.
	Etcds     func(resource schema.GroupResource, essential bool) error
	Operators string // group of users who may write to the last part of the storage, like components of Kubernetes
}

// Guard makes an admission chain that applies the limit before the admission of an API server.
func Guard(next admission.Interface, limit Limit) admission.Interface {
	if limit.Full == nil && limit.Disk == nil && limit.Etcds == nil {
		return next
	}
	return &guard{next: next, limit: limit}
}

type guard struct {
	next  admission.Interface
	limit Limit
}

// Handles implements admission.Interface.
func (g *guard) Handles(operation admission.Operation) bool {
	return limited(operation) || g.next != nil && g.next.Handles(operation)
}

func limited(operation admission.Operation) bool {
	return operation == admission.Create || operation == admission.Update
}

// Admit implements admission.MutationInterface.
func (g *guard) Admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	if next, ok := g.next.(admission.MutationInterface); ok && g.next.Handles(a.GetOperation()) {
		return next.Admit(ctx, a, o)
	}
	return nil
}

// Validate implements admission.ValidationInterface. It runs after all changes, and before quotas count the object.
func (g *guard) Validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	if err := g.check(a); err != nil {
		return err
	}
	if next, ok := g.next.(admission.ValidationInterface); ok && g.next.Handles(a.GetOperation()) {
		return next.Validate(ctx, a, o)
	}
	return nil
}

func (g *guard) check(a admission.Attributes) error {
	if !stores(a) {
		return nil
	}
	more := sync.OnceValue(func() int64 { return growth(a) })
	err := g.limit.lack(a, essential(a.GetUserInfo(), g.limit.Operators), more)
	if err == nil || more() <= 0 {
		return nil
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInsufficientStorage, Reason: Reason,
		Message: fmt.Sprintf("the storage is full: %v. Until there is room again, objects can only be deleted or made smaller", err),
		Details: &metav1.StatusDetails{Group: a.GetResource().Group, Kind: a.GetResource().Resource, Name: a.GetName()},
	}}
}

// lack says what keeps a user from writing.
func (l Limit) lack(a admission.Attributes, essential bool, more func() int64) error {
	if l.Disk != nil {
		if err := l.Disk(essential); err != nil {
			return err
		}
	}
	if l.Etcds != nil {
		if err := l.Etcds(a.GetResource().GroupResource(), essential); err != nil {
			return err
		}
	}
	if essential || l.Full == nil {
		return nil
	}
	return l.Full(a.GetNamespace(), more())
}

// stores reports whether a request adds to the storage. Reviews and subresources such as tokens and evictions are created
// without being stored.
func stores(a admission.Attributes) bool {
	switch a.GetResource().Group {
	case "authentication.k8s.io", "authorization.k8s.io":
		return false
	}
	if a.IsDryRun() || !limited(a.GetOperation()) {
		return false
	}
	return a.GetOperation() == admission.Update || a.GetSubresource() == ""
}

// growth is by how many bytes a request enlarges what is stored. A creation always does.
func growth(a admission.Attributes) int64 {
	after := size(a.GetObject())
	if a.GetOperation() == admission.Update && a.GetOldObject() != nil {
		return after - size(a.GetOldObject())
	}
	return max(after, 1)
}

// size is the length of the JSON of an object. It leaves out what users need to make room: what the API server notes about writers,
// since nobody could remove a finalizer otherwise, and the confirmation without which nobody can delete a Shoot or a Project.
func size(object runtime.Object) int64 {
	if accessor, ok := object.(metav1.Object); ok {
		_, confirmed := accessor.GetAnnotations()[constants.ConfirmationDeletion]
		if confirmed || len(accessor.GetManagedFields()) > 0 {
			object = object.DeepCopyObject()
			slim := object.(metav1.Object)
			slim.SetManagedFields(nil)
			slim.SetAnnotations(withoutConfirmation(slim.GetAnnotations()))
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		return 0
	}
	return int64(len(text))
}

// withoutConfirmation changes the annotations.
func withoutConfirmation(annotations map[string]string) map[string]string {
	if annotations[constants.ConfirmationDeletion] == "true" {
		delete(annotations, constants.ConfirmationDeletion)
	}
	if len(annotations) == 0 {
		return nil
	}
	return annotations
}
