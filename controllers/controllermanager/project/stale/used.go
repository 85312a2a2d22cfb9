package stale

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
)

// Used reports whether a namespace is in use: it contains Shoots, Plants or BackupEntries, or a Shoot in any namespace
// uses its credentials or Quotas. The reader must be a cache.
func Used(ctx context.Context, cached client.Reader, namespace string) (bool, error) {
	for _, list := range []client.ObjectList{&gardencorev1beta1.ShootList{}, &gardencorev1beta1.PlantList{}, &gardencorev1beta1.BackupEntryList{}} {
		if err := cached.List(ctx, list, client.InNamespace(namespace), client.Limit(1), client.UnsafeDisableDeepCopy); err != nil {
			return false, fmt.Errorf("list %T: %w", list, err)
		}
		if hasItems(list) {
			return true, nil
		}
	}
	return lends(ctx, cached, namespace)
}

func hasItems(list client.ObjectList) bool {
	switch typed := list.(type) {
	case *gardencorev1beta1.ShootList:
		return len(typed.Items) > 0
	case *gardencorev1beta1.PlantList:
		return len(typed.Items) > 0
	case *gardencorev1beta1.BackupEntryList:
		return len(typed.Items) > 0
	}
	return false
}

// bindings is a set of bindings by namespace and name.
type bindings struct{ secret, credentials sets.Set[client.ObjectKey] }

// lends reports whether bindings that Shoots of other namespaces use refer to an object of the namespace.
func lends(ctx context.Context, cached client.Reader, namespace string) (bool, error) {
	lending, err := bindingsInto(ctx, cached, namespace)
	if err != nil || lending.secret.Len()+lending.credentials.Len() == 0 {
		return false, err
	}
	shoots := &gardencorev1beta1.ShootList{}
	if err := cached.List(ctx, shoots, client.UnsafeDisableDeepCopy); err != nil {
		return false, fmt.Errorf("list shoots: %w", err)
	}
	for i := range shoots.Items {
		shoot := &shoots.Items[i]
		if lending.secret.Has(client.ObjectKey{Namespace: shoot.Namespace, Name: ptr.Deref(shoot.Spec.SecretBindingName, "")}) ||
			lending.credentials.Has(client.ObjectKey{Namespace: shoot.Namespace, Name: ptr.Deref(shoot.Spec.CredentialsBindingName, "")}) {
			return true, nil
		}
	}
	return false, nil
}

// bindingsInto returns all bindings that refer to an object of the namespace.
func bindingsInto(ctx context.Context, cached client.Reader, namespace string) (bindings, error) {
	found := bindings{sets.New[client.ObjectKey](), sets.New[client.ObjectKey]()}
	ofSecrets := &gardencorev1beta1.SecretBindingList{}
	if err := cached.List(ctx, ofSecrets, client.UnsafeDisableDeepCopy); err != nil {
		return found, fmt.Errorf("list secret bindings: %w", err)
	}
	for i := range ofSecrets.Items {
		if b := &ofSecrets.Items[i]; targets(b).Has(namespace) {
			found.secret.Insert(client.ObjectKeyFromObject(b))
		}
	}
	ofCredentials := &securityv1alpha1.CredentialsBindingList{}
	if err := cached.List(ctx, ofCredentials, client.UnsafeDisableDeepCopy); err != nil {
		return found, fmt.Errorf("list credentials bindings: %w", err)
	}
	for i := range ofCredentials.Items {
		if b := &ofCredentials.Items[i]; targets(b).Has(namespace) {
			found.credentials.Insert(client.ObjectKeyFromObject(b))
		}
	}
	return found, nil
}

// targets returns the namespaces that a binding refers to.
func targets(binding client.Object) sets.Set[string] {
	var of string
	var quotas []corev1.ObjectReference
	switch b := binding.(type) {
	case *gardencorev1beta1.SecretBinding:
		of, quotas = b.SecretRef.Namespace, b.Quotas
	case *securityv1alpha1.CredentialsBinding:
		of, quotas = b.CredentialsRef.Namespace, b.Quotas
	}
	namespaces := sets.New[string]()
	for _, namespace := range append([]string{of}, namespacesOf(quotas)...) {
		if namespace == "" {
			namespace = binding.GetNamespace()
		}
		namespaces.Insert(namespace)
	}
	return namespaces
}

func namespacesOf(refs []corev1.ObjectReference) []string {
	var all []string
	for _, ref := range refs {
		all = append(all, ref.Namespace)
	}
	return all
}
