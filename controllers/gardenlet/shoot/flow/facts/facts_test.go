package facts

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

func TestOwner(t *testing.T) {
	const id = "shoot--sky--sun"
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	etcd := func(check *druidv1alpha1.OwnerCheckSpec) client.Object {
		return &druidv1alpha1.Etcd{ObjectMeta: metav1.ObjectMeta{Namespace: id, Name: "etcd-main"}, Spec: druidv1alpha1.EtcdSpec{Backup: druidv1alpha1.BackupSpec{OwnerCheck: check}}}
	}
	record := func(values ...string) client.Object {
		return &extensionsv1alpha1.DNSRecord{ObjectMeta: metav1.ObjectMeta{Namespace: id, Name: "sun-owner"}, Spec: extensionsv1alpha1.DNSRecordSpec{Values: values}}
	}
	checked := etcd(&druidv1alpha1.OwnerCheckSpec{Name: "owner.sun", ID: "earth"})
	for name, tc := range map[string]struct {
		objects []client.Object
		want    Owner
	}{
		"MIG-24 the owner of a shoot without an etcd is not checked":       {[]client.Object{record("earth")}, OwnerUnchecked},
		"MIG-24 nor is one that the etcd does not check":                   {[]client.Object{etcd(nil), record("earth")}, OwnerUnchecked},
		"MIG-24 the record names the seed":                                 {[]client.Object{checked, record("earth")}, OwnerHere},
		"MIG-24 the record names the seed that the shoot moves to":         {[]client.Object{checked, record("mars")}, OwnerElsewhere},
		"MIG-25 the record is released already when a migration continues": {[]client.Object{checked}, OwnerGone},
	} {
		t.Run(name, func(t *testing.T) {
			objects := append(tc.objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: id}})
			seed := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
			found, err := Load(t.Context(), seed, id, "sun")
			if err != nil || found.Owner != tc.want {
				t.Errorf("the owner is %q, %v, want %q", found.Owner, err, tc.want)
			}
		})
	}
}
