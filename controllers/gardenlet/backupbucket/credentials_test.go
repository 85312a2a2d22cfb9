package backupbucket

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestCredentials(t *testing.T) {
	for name, tc := range map[string]struct {
		labels  map[string]string
		names   string
		key     string
		refused bool
	}{
		"ETC-10 the key of a Secret that all seeds may read is not used": {map[string]string{"seed.gardener.cloud/shared": "true"}, "", "encryptionKey", true},
		"ETC-10 that of a Secret of the seed alone is":                   {nil, "here", "encryptionKey", false},
		"ETC-10 that of a Secret that an operator names in the Seed is":  {nil, "", "encryptionKey", false},
		"ETC-10 that of a Secret of another seed is not":                 {nil, "there", "encryptionKey", true},
		"a Secret that all seeds may read has other values":              {map[string]string{"seed.gardener.cloud/shared": "true"}, "", "account", false},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := corev1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "backup", Labels: tc.labels, Annotations: map[string]string{"seed.gardener.cloud/names": tc.names}}, Data: map[string][]byte{tc.key: []byte("value")}}
			r := &Reconciler{SeedName: "here", Reader: fake.NewClientBuilder().WithScheme(scheme).WithObjects(secret).Build()}
			bucket := &gardencorev1beta1.BackupBucket{Spec: gardencorev1beta1.BackupBucketSpec{SecretRef: corev1.SecretReference{Namespace: "garden", Name: "backup"}}}
			data, err := r.credentials(t.Context(), bucket)
			if tc.refused && (err == nil || data != nil || !strings.Contains(err.Error(), `secret "garden/backup"`)) || !tc.refused && (err != nil || string(data[tc.key]) != "value") {
				t.Errorf("%d values, %v", len(data), err)
			}
		})
	}
}
