package druid_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// withOthersBackups makes Etcds that name what is not theirs.
func withOthersBackups(t *testing.T, c client.Client) {
	ctx := t.Context()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--f", Annotations: map[string]string{"shoot.gardener.cloud/uid": "uid"}}}
	must(t, c.Create(ctx, namespace))
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace.Name, Name: name} }
	for _, name := range []string{"tls", "etcd-backup"} {
		must(t, c.Create(ctx, &corev1.Secret{ObjectMeta: meta(name)}))
	}
	must(t, c.Create(ctx, &extensionsv1alpha1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--f--uid"}, Spec: extensionsv1alpha1.BackupEntrySpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: "local"}, BucketName: "seed-uid", SecretRef: corev1.SecretReference{Namespace: "garden", Name: "x"},
	}}))
	refused := func(t *testing.T, etcd *druidv1alpha1.Etcd, want string) {
		t.Helper()
		eventually(t, func() error {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd))
			if last := etcd.Status.LastErrors; len(last) != 1 || last[0].Code != "ERR_REFUSED" || !strings.Contains(last[0].Description, want) {
				return fmt.Errorf("last errors %v", last)
			}
			return nil
		})
		awaitEvent(t, c, namespace.Name, etcd.Name, "Refused", want)
	}

	for name, tc := range map[string]struct {
		change func(*druidv1alpha1.EtcdSpec)
		want   string
	}{
		"prefix": {func(s *druidv1alpha1.EtcdSpec) { s.Backup.Store.Prefix = "shoot--p--victim--uid/etcd-main" }, `spec.backup.store cannot be used: prefix "shoot--p--victim--uid/etcd-main"`},
		"uid":    {func(s *druidv1alpha1.EtcdSpec) { s.Backup.Store.Prefix = "shoot--p--f--former/etcd-main" }, "backups of a former shoot"},
		"bucket": {func(s *druidv1alpha1.EtcdSpec) { s.Backup.Store.Container = ptr.To("victim") }, `container "victim" has no backups`},
		"image":  {func(s *druidv1alpha1.EtcdSpec) { s.Etcd.Image = ptr.To("reader") }, "spec.etcd.image cannot be used"},
	} {
		t.Run("ETC-5 an Etcd with the "+name+" of another one is refused, and nothing starts", func(t *testing.T) {
			etcd := backedUp(namespace.Name)
			etcd.Name = "foreign-" + name
			tc.change(&etcd.Spec)
			must(t, c.Create(ctx, etcd))
			refused(t, etcd, tc.want)
			if err := want(etcd, false, map[druidv1alpha1.ConditionType]druidv1alpha1.ConditionStatus{
				"Ready": "False", "AllMembersReady": "False", "AllMembersUpdated": "False", "BackupReady": "Unknown",
			}); err != nil {
				t.Error(err)
			}
			for _, condition := range etcd.Status.Conditions {
				if condition.Type == druidv1alpha1.ConditionTypeReady && !strings.Contains(condition.Message, tc.want) {
					t.Errorf("condition %+v", condition)
				}
			}
			if err := c.Get(ctx, client.ObjectKeyFromObject(etcd), &appsv1.StatefulSet{}); !apierrors.IsNotFound(err) {
				t.Errorf("StatefulSet: %v, want none", err)
			}
		})
	}

	t.Run("ETC-5 neither a change nor a recovery makes a running Etcd use the backups of another one", func(t *testing.T) {
		etcd, set := backedUp(namespace.Name), &appsv1.StatefulSet{ObjectMeta: meta("etcd-main")}
		etcd.Spec.Replicas = 3
		must(t, c.Create(ctx, etcd))
		eventually(t, func() error {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd))
			if etcd.Annotations["gardener.cloud/operation"] != "" {
				return errors.New("it is not applied yet")
			}
			return c.Get(ctx, client.ObjectKeyFromObject(set), set)
		})
		was := set.Spec.DeepCopy()
		for _, request := range []struct{ annotation, value, prefix string }{
			{"gardener.cloud/operation", "reconcile", "shoot--p--victim--one/etcd-main"},
			{recoverAnnotation, "restoring", "shoot--p--victim--two/etcd-main"}, // the phase that begins a member again
		} {
			before := etcd.DeepCopy()
			etcd.Spec.Backup.Store.Prefix = request.prefix
			metav1.SetMetaDataAnnotation(&etcd.ObjectMeta, request.annotation, request.value)
			must(t, c.Patch(ctx, etcd, client.MergeFrom(before)))
			refused(t, etcd, request.prefix)
			must(t, c.Get(ctx, client.ObjectKeyFromObject(set), set))
			if diff := cmp.Diff(*was, set.Spec); diff != "" {
				t.Errorf("%s changed the StatefulSet (-was +is):\n%s", request.annotation, diff)
			}
		}
	})
}
