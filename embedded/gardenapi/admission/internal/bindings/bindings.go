// Package bindings reads SecretBindings and CredentialsBindings in the same way, for admission plugins.
package bindings

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// Reference names the binding of a shoot. The zero value means no binding.
type Reference struct {
	Credentials bool // CredentialsBinding rather than SecretBinding
	Name        string
}

// Of returns the binding that a shoot refers to. If both forms are set, the newer one wins.
func Of(spec *core.ShootSpec) Reference {
	if name := ptr.Deref(spec.CredentialsBindingName, ""); name != "" {
		return Reference{true, name}
	}
	return Reference{false, ptr.Deref(spec.SecretBindingName, "")}
}

// Field returns the field of the shoot that refers to the binding.
func (r Reference) Field() *field.Path {
	if r.Credentials {
		return field.NewPath("spec", "credentialsBindingName")
	}
	return field.NewPath("spec", "secretBindingName")
}

// Binding holds the fields that both kinds have.
type Binding struct {
	Types  []string // of providers; none if the binding does not say
	Quotas []corev1.ObjectReference
}

// Get reads a binding. If it does not exist, the error is the NotFound error of the API.
func Get(ctx context.Context, objects initializer.Objects, namespace string, r Reference) (*Binding, error) {
	if r.Credentials {
		binding, err := initializer.Get[security.CredentialsBinding](ctx, objects, security.Resource("credentialsbindings"), namespace, r.Name)
		if err != nil {
			return nil, err
		}
		return &Binding{[]string{binding.Provider.Type}, binding.Quotas}, nil
	}
	binding, err := initializer.Get[core.SecretBinding](ctx, objects, core.Resource("secretbindings"), namespace, r.Name)
	if err != nil {
		return nil, err
	}
	out := &Binding{Quotas: binding.Quotas}
	if binding.Provider != nil {
		out.Types = strings.Split(binding.Provider.Type, ",")
	}
	return out, nil
}

// Key is a binding in a namespace.
type Key struct {
	Namespace string
	Reference
}

// WithQuota returns all bindings that refer to a quota, of a namespace or of all namespaces, in their current state.
func WithQuota(ctx context.Context, objects initializer.Objects, namespace string, quota corev1.ObjectReference) (map[Key]bool, error) {
	found := map[Key]bool{}
	refers := func(quotas []corev1.ObjectReference) bool {
		return slices.ContainsFunc(quotas, func(q corev1.ObjectReference) bool { return q.Namespace == quota.Namespace && q.Name == quota.Name })
	}
	err := objects.Each(ctx, core.Resource("secretbindings"), namespace, func(obj runtime.Object) bool {
		if b := obj.(*core.SecretBinding); refers(b.Quotas) {
			found[Key{b.Namespace, Reference{false, b.Name}}] = true
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("read secret bindings: %w", err)
	}
	err = objects.Each(ctx, security.Resource("credentialsbindings"), namespace, func(obj runtime.Object) bool {
		if b := obj.(*security.CredentialsBinding); refers(b.Quotas) {
			found[Key{b.Namespace, Reference{true, b.Name}}] = true
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("read credentials bindings: %w", err)
	}
	return found, nil
}
