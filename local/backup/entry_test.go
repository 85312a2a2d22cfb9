package backup

import (
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

func TestRemovalOfEntries(t *testing.T) {
	for name, tc := range map[string]struct {
		entry       string
		etcd, files bool // whether they stay
		source      bool
	}{
		"MIG-21 that of the source goes with its Secret, and the backups stay": {entry: "source-shoot--p--s--uid", etcd: true, files: true},
		"BKP-6 that of the shoot goes with its Secret and the backups":         {entry: "shoot--p--s--uid", source: true},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := clientgoscheme.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			secret := func(name string) *corev1.Secret {
				return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--p--s", Name: name}}
			}
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(secret("etcd-backup"), secret("source-etcd-backup")).Build()
			s := &Store{Client: c, Dir: t.TempDir()}
			files := filepath.Join(s.Dir, "bucket", "shoot--p--s--uid")
			others := filepath.Join(s.Dir, "bucket", "shoot--p--other--uid")
			for _, dir := range []string{files, others} {
				if err := os.MkdirAll(filepath.Join(dir, "etcd-main"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			of := &extensionsv1alpha1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: tc.entry}, Spec: extensionsv1alpha1.BackupEntrySpec{BucketName: "bucket"}}
			if err := s.removeEntry(t.Context(), nil, of); err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]bool{"etcd-backup": tc.etcd, "source-etcd-backup": tc.source} {
				if left := c.Get(t.Context(), client.ObjectKeyFromObject(secret(name)), secret(name)) == nil; left != want {
					t.Errorf("secret %s is left: %t, want %t", name, left, want)
				}
			}
			if _, err := os.Stat(others); err != nil {
				t.Errorf("the backups of another shoot: %v", err)
			}
			if _, err := os.Stat(files); (err == nil) != tc.files {
				t.Errorf("the backups are left: %t, want %t", err == nil, tc.files)
			}
		})
	}
}
