// Package encryption rewrites the objects of a shoot that etcd stores encrypted. API servers encrypt an object only when it is
// written. After a change of the key, of the cipher or of the list of resources, every object has to be written once.
package encryption

import (
	"slices"

	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// always is the resource that every shoot encrypts.
const always = "secrets"

// Wanted is the encryption that the specification of a Shoot asks for.
func Wanted(shoot *gardencorev1beta1.Shoot) gardencorev1beta1.EncryptionAtRest {
	out := gardencorev1beta1.EncryptionAtRest{
		Resources: []string{always}, Provider: gardencorev1beta1.EncryptionProviderStatus{Type: gardencorev1beta1.EncryptionProviderTypeAESCBC},
	}
	if server := shoot.Spec.Kubernetes.KubeAPIServer; server != nil && server.EncryptionConfig != nil {
		out.Resources = append(out.Resources, server.EncryptionConfig.Resources...)
		out.Provider.Type = ptr.Deref(server.EncryptionConfig.Provider.Type, out.Provider.Type)
	}
	return out
}

// inEffect is the encryption of the objects that are stored. A Shoot whose status does not say it has what it asks for.
func inEffect(shoot *gardencorev1beta1.Shoot) gardencorev1beta1.EncryptionAtRest {
	if credentials := shoot.Status.Credentials; credentials != nil && credentials.EncryptionAtRest != nil {
		return *credentials.EncryptionAtRest
	}
	return Wanted(shoot)
}

// Leaving are the resources that are stored encrypted but shall no longer be encrypted.
func Leaving(shoot *gardencorev1beta1.Shoot) []string {
	return without(inEffect(shoot).Resources, Wanted(shoot).Resources)
}

// FormerProvider is the cipher of the stored objects; empty if it is the one that the specification asks for.
func FormerProvider(shoot *gardencorev1beta1.Shoot) gardencorev1beta1.EncryptionProviderType {
	if former := inEffect(shoot).Provider.Type; former != Wanted(shoot).Provider.Type {
		return former
	}
	return ""
}

// Changed are the resources whose objects have to be rewritten, although the key is the same.
func Changed(shoot *gardencorev1beta1.Shoot) []string {
	if FormerProvider(shoot) != "" {
		return concerned(shoot)
	}
	return append(Leaving(shoot), without(Wanted(shoot).Resources, inEffect(shoot).Resources)...)
}

// concerned are all resources that are or were encrypted.
func concerned(shoot *gardencorev1beta1.Shoot) []string {
	return append(Wanted(shoot).Resources, Leaving(shoot)...)
}

func without(list, taken []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(one string) bool { return slices.Contains(taken, one) })
}
