package place

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

const shoot = "shoot--p--s"

func TestCheck(t *testing.T) {
	entry := func(name, bucket string) client.Object {
		return &extensionsv1alpha1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: extensionsv1alpha1.BackupEntrySpec{BucketName: bucket}}
	}
	own, source := entry(shoot+"--1", "here"), entry("source-"+shoot+"--1", "there")
	for name, tc := range map[string]struct {
		bucket, prefix string
		use            Use
		entries        []client.Object
		uid            string
		want           string // a part of the refusal; empty if the store may be used
	}{
		"ETC-5 the store of its own etcd":                 {bucket: "here", prefix: shoot + "--1/etcd-main", entries: []client.Object{own}, uid: "1"},
		"ETC-5 a store before its BackupEntry is here":    {bucket: "here", prefix: shoot + "--1/etcd-main", uid: "1"},
		"ETC-5 a place in a namespace that is no shoot's": {bucket: "here", prefix: shoot + "--2/etcd-main"},
		"MIG-17 another copy beside its own etcd":         {bucket: "here", prefix: shoot + "--1/copies/one", entries: []client.Object{own}, uid: "1"},
		"MIG-17 the source of a migration is read":        {bucket: "there", prefix: shoot + "--1/etcd-main", use: Read, entries: []client.Object{own, source}, uid: "1"},
		"MIG-17 its own bucket is read":                   {bucket: "here", prefix: shoot + "--1/etcd-main", use: Read, entries: []client.Object{own, source}, uid: "1"},
		"MIG-17 the source of a migration is not written": {bucket: "there", prefix: shoot + "--1/etcd-main", entries: []client.Object{own, source}, uid: "1", want: `container "there" has no backups`},
		"MIG-17 a bucket without its backups is not read": {bucket: "other", prefix: shoot + "--1/etcd-main", use: Read, entries: []client.Object{own, source}, uid: "1", want: "bucket here or there"},
		"ETC-5 a bucket that is not its own":              {bucket: "other", prefix: shoot + "--1/etcd-main", entries: []client.Object{own}, uid: "1", want: `container "other" has no backups`},
		"ETC-5 a former shoot of the same name":           {bucket: "here", prefix: shoot + "--0/etcd-main", uid: "1", want: "backups of a former shoot"},
		"ETC-5 another shoot":                             {bucket: "here", prefix: "shoot--p--t--1/etcd-main", uid: "1", want: "no backups of namespace"},
		"ETC-5 a shoot whose name begins like it":         {bucket: "here", prefix: shoot + "2--1/etcd-main", want: "no backups of namespace"},
		"ETC-5 a namespace that begins like it":           {bucket: "here", prefix: shoot + "--t--1/etcd-main", want: "no backups of namespace"},
		"ETC-5 all backups of the shoot":                  {bucket: "here", prefix: shoot + "--1", want: "no backups of namespace"},
		"ETC-5 a directory with the name of the shoot":    {bucket: "here", prefix: shoot + "/etcd-main", want: "no backups of namespace"},
		"ETC-5 no UID":                                     {bucket: "here", prefix: shoot + "--/etcd-main", want: "no backups of namespace"},
		"ETC-5 the shoot in another directory":             {bucket: "here", prefix: "other/" + shoot + "--1/etcd-main", want: "no backups of namespace"},
		"ETC-5 a prefix that leads out of the bucket":      {bucket: "here", prefix: shoot + "--1/../x", want: "cannot be a prefix"},
		"ETC-5 a bucket that leads out of the directories": {bucket: "..", prefix: shoot + "--1/etcd-main", want: "cannot be the name of a bucket"},
	} {
		t.Run(name, func(t *testing.T) {
			namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: shoot}}
			if tc.uid != "" {
				namespace.Annotations = map[string]string{"shoot.gardener.cloud/uid": tc.uid}
			}
			err := Check(t.Context(), seed(t, append(tc.entries, namespace)...).Build(), shoot, store(tc.bucket, tc.prefix), tc.use)
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("it is refused: %v", err)
			case tc.want != "" && (!errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("error %v, want a refusal with %q", err, tc.want)
			}
		})
	}
}

var errBoom = errors.New("boom")

// What cannot be found out is no reason to use a store, and none to refuse it for good.
func TestCheckOfWhatCannotBeRead(t *testing.T) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: shoot}}
	for kind, fails := range map[string]func(client.Object) bool{
		"namespace":   func(o client.Object) bool { _, is := o.(*metav1.PartialObjectMetadata); return is },
		"BackupEntry": func(o client.Object) bool { _, is := o.(*extensionsv1alpha1.BackupEntry); return is },
	} {
		c := interceptor.NewClient(seed(t, namespace).Build(), interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
				if fails(o) {
					return errBoom
				}
				return c.Get(ctx, key, o, options...)
			},
		})
		if err := Check(t.Context(), c, shoot, store("here", shoot+"--1/etcd-main"), Write); !errors.Is(err, errBoom) || errors.Is(err, ErrRefused) {
			t.Errorf("%s: error %v", kind, err)
		}
	}
}

func store(bucket, prefix string) *druidv1alpha1.StoreSpec {
	return &druidv1alpha1.StoreSpec{Container: ptr.To(bucket), Prefix: prefix}
}

func seed(t *testing.T, objects ...client.Object) *fake.ClientBuilder {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...)
}
