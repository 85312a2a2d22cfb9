package kubeapiserver

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// EncryptionKeyData is a key for the encryption of objects in etcd.
type EncryptionKeyData struct {
	Name string
	// Secret is base64.
	Secret string
}

// encryptionConfiguration encrypts secrets and the resources that the shoot names. Objects that were written with another
// key or cipher, or before encryption was switched on, remain readable. So do objects of resources that are no longer
// encrypted: they are decrypted, and written in plain text.
func encryptionConfiguration(v Values) ([]byte, error) { return EncryptionConfiguration(v, "secrets") }

// EncryptionConfiguration encrypts these resources instead of secrets, for another API server.
func EncryptionConfiguration(v Values, resources ...string) ([]byte, error) {
	types := []gardencorev1beta1.EncryptionProviderType{gardencorev1beta1.EncryptionProviderTypeAESCBC}
	if config := v.Config.EncryptionConfig; config != nil {
		resources = append(resources, config.Resources...)
		types[0] = ptr.Deref(config.Provider.Type, types[0])
	}
	if v.FormerProvider != "" && v.FormerProvider != types[0] {
		types = append(types, v.FormerProvider)
	}
	var ciphers []apiserverv1.ProviderConfiguration
	for _, kind := range types {
		cipher, err := provider(kind, v.Encryption)
		if err != nil {
			return nil, err
		}
		ciphers = append(ciphers, cipher)
	}
	plain := []apiserverv1.ProviderConfiguration{{Identity: &apiserverv1.IdentityConfiguration{}}}
	document := apiserverv1.EncryptionConfiguration{
		TypeMeta:  metav1.TypeMeta{APIVersion: configVersion, Kind: "EncryptionConfiguration"},
		Resources: []apiserverv1.ResourceConfiguration{{Resources: resources, Providers: slices.Concat(ciphers, plain)}},
	}
	if len(v.NoLongerEncrypted) > 0 {
		document.Resources = append(document.Resources, apiserverv1.ResourceConfiguration{Resources: v.NoLongerEncrypted, Providers: slices.Concat(plain, ciphers)})
	}
	return yaml.Marshal(document)
}

// provider encrypts with the first key and decrypts with all.
func provider(kind gardencorev1beta1.EncryptionProviderType, from []EncryptionKeyData) (out apiserverv1.ProviderConfiguration, err error) {
	var keys []apiserverv1.Key
	for _, key := range from {
		keys = append(keys, apiserverv1.Key{Name: key.Name, Secret: key.Secret})
	}
	switch kind {
	case gardencorev1beta1.EncryptionProviderTypeAESCBC:
		out.AESCBC = &apiserverv1.AESConfiguration{Keys: keys}
	case gardencorev1beta1.EncryptionProviderTypeAESGCM:
		out.AESGCM = &apiserverv1.AESConfiguration{Keys: keys}
	case gardencorev1beta1.EncryptionProviderTypeSecretbox:
		out.Secretbox = &apiserverv1.SecretboxConfiguration{Keys: keys}
	default:
		err = fmt.Errorf("encryption provider %q is not known", kind)
	}
	return out, err
}
