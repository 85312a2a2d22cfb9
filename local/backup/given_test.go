package backup

import (
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// secrets are the data of the Secrets that a bucket and an entry of it get from credentials with this key.
func secrets(t *testing.T, entry string, credentials map[string][]byte) (ofBucket, ofEtcd map[string][]byte, err error) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--s"}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: gardenNamespace, Name: "given"}, Data: credentials},
	).Build()
	s := &Store{Client: c, Dir: t.TempDir()}
	data := func(namespace, name string) map[string][]byte {
		secret := &corev1.Secret{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, secret); err != nil {
			t.Fatal(err)
		}
		return secret.Data
	}
	ref := corev1.SecretReference{Namespace: gardenNamespace, Name: "given"}
	bucket := &extensionsv1alpha1.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: "bucket"}, Spec: extensionsv1alpha1.BackupBucketSpec{SecretRef: ref}}
	if err := s.applyBucket(t.Context(), nil, bucket); err != nil {
		return nil, nil, err
	}
	of := &extensionsv1alpha1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: entry}, Spec: extensionsv1alpha1.BackupEntrySpec{BucketName: "bucket", SecretRef: ref}}
	if err := s.applyEntry(t.Context(), nil, of); err != nil {
		return nil, nil, err
	}
	return data(gardenNamespace, "generated-bucket-bucket"), data("shoot--p--s", strings.ReplaceAll(entry, "shoot--p--s--uid", "etcd-backup")), nil
}

func TestEncryptionKeyReachesTheEtcd(t *testing.T) {
	generated, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	key := generated.String()
	for _, entry := range []string{"shoot--p--s--uid", "source-shoot--p--s--uid"} {
		t.Run("ETC-10 entry "+entry, func(t *testing.T) {
			bucket, etcd, err := secrets(t, entry, map[string][]byte{"encryptionKey": []byte(key), "hostPath": []byte("/other"), "more": []byte("x")})
			if err != nil || string(bucket["encryptionKey"]) != key || string(etcd["encryptionKey"]) != key {
				t.Errorf("bucket %d values, etcd %d values, %v", len(bucket), len(etcd), err)
			}
			if (string(etcd["hostPath"]) == "/other") != strings.HasPrefix(entry, sourcePrefix) || string(bucket["hostPath"]) == "/other" {
				t.Errorf("directory of the bucket %s, of the etcd %s", bucket["hostPath"], etcd["hostPath"])
			}
		})
	}
	t.Run("without a key there is none", func(t *testing.T) {
		bucket, etcd, err := secrets(t, "shoot--p--s--uid", map[string][]byte{"provider": []byte("local")})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(bucket, etcd); diff != "" || len(etcd) != 2 {
			t.Errorf("Secrets differ (-bucket +etcd):\n%s", diff)
		}
	})
	t.Run("ETC-10 a key that cannot encrypt is shown at the bucket", func(t *testing.T) {
		_, _, err := secrets(t, "shoot--p--s--uid", map[string][]byte{"encryptionKey": []byte("AGE-SECRET-KEY-1CUT")})
		if !contract.IsPermanent(err) || strings.Contains(err.Error(), "CUT") {
			t.Error(err)
		}
	})
}
