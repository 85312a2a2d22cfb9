package encryption

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestChanged(t *testing.T) {
	type list = []string
	for name, tc := range map[string]struct {
		wanted, stored           list // beside secrets
		wantedCipher, usedCipher gardencorev1beta1.EncryptionProviderType
		leaving, changed         list
	}{
		"nothing changed":                                     {wanted: list{"configmaps"}, stored: list{"configmaps"}},
		"CAR-14 a new resource is encrypted":                  {wanted: list{"configmaps"}, changed: list{"configmaps"}},
		"CAR-14 a resource that leaves the list is decrypted": {stored: list{"configmaps"}, leaving: list{"configmaps"}, changed: list{"configmaps"}},
		"one comes, one goes":                                 {wanted: list{"pods"}, stored: list{"configmaps"}, leaving: list{"configmaps"}, changed: list{"configmaps", "pods"}},
		"another cipher rewrites everything": {
			wanted: list{"pods"}, stored: list{"configmaps"}, wantedCipher: "secretbox", usedCipher: "aescbc", leaving: list{"configmaps"}, changed: list{"secrets", "pods", "configmaps"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := &gardencorev1beta1.Shoot{}
			server := &gardencorev1beta1.KubeAPIServerConfig{EncryptionConfig: &gardencorev1beta1.EncryptionConfig{Resources: tc.wanted}}
			if tc.wantedCipher != "" {
				server.EncryptionConfig.Provider.Type = &tc.wantedCipher
			}
			shoot.Spec.Kubernetes.KubeAPIServer = server
			used := gardencorev1beta1.EncryptionProviderTypeAESCBC
			if tc.usedCipher != "" {
				used = tc.usedCipher
			}
			shoot.Status.Credentials = &gardencorev1beta1.ShootCredentials{EncryptionAtRest: &gardencorev1beta1.EncryptionAtRest{
				Resources: append(list{"secrets"}, tc.stored...), Provider: gardencorev1beta1.EncryptionProviderStatus{Type: used},
			}}
			if diff := cmp.Diff(tc.leaving, Leaving(shoot), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("leaving (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.changed, Changed(shoot), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a shoot without a status has what it asks for", func(t *testing.T) {
		shoot := &gardencorev1beta1.Shoot{}
		shoot.Spec.Kubernetes.KubeAPIServer = &gardencorev1beta1.KubeAPIServerConfig{EncryptionConfig: &gardencorev1beta1.EncryptionConfig{Resources: list{"configmaps"}}}
		if got := Changed(shoot); len(got) > 0 {
			t.Errorf("changed are %v", got)
		}
	})
}
