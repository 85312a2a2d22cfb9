package etcd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

func TestFieldsWithoutEffect(t *testing.T) {
	for name, set := range map[string]func(*druidv1alpha1.EtcdSpec){
		"": func(spec *druidv1alpha1.EtcdSpec) {
			spec.RunAsRoot, spec.Backup.EnableProfiling, spec.Backup.SnapshotCompaction = ptr.To(true), ptr.To(true), &druidv1alpha1.SnapshotCompactionSpec{}
		},
		"spec.memberNamePrefix":   func(spec *druidv1alpha1.EtcdSpec) { spec.MemberNamePrefix = ptr.To("a") },
		"spec.runAsRoot":          func(spec *druidv1alpha1.EtcdSpec) { spec.RunAsRoot = ptr.To(false) },
		"spec.etcd.wrapperPort":   func(spec *druidv1alpha1.EtcdSpec) { spec.Etcd.WrapperPort = ptr.To[int32](9095) },
		"spec.etcd.authSecretRef": func(spec *druidv1alpha1.EtcdSpec) { spec.Etcd.AuthSecretRef = &corev1.SecretReference{Name: "a"} },
		"spec.etcd.additionalAdvertisePeerURLs": func(spec *druidv1alpha1.EtcdSpec) {
			spec.Etcd.AdditionalAdvertisePeerURLs = make([]druidv1alpha1.AdditionalAdvertisePeerURLs, 1)
		},
		"spec.backup.image":     func(spec *druidv1alpha1.EtcdSpec) { spec.Backup.Image = ptr.To("a") },
		"spec.backup.resources": func(spec *druidv1alpha1.EtcdSpec) { spec.Backup.Resources = &corev1.ResourceRequirements{} },
		"spec.backup.store.endpointOverride": func(spec *druidv1alpha1.EtcdSpec) {
			spec.Backup.Store = &druidv1alpha1.StoreSpec{EndpointOverride: ptr.To("a")}
		},
	} {
		t.Run("ETC-5 the Etcd says that it has no effect: "+name, func(t *testing.T) {
			recorder := events.NewFakeRecorder(9)
			r := &Reconciler{Recorder: recorder}
			other := druidv1alpha1.Condition{Type: druidv1alpha1.ConditionTypeReady, Status: druidv1alpha1.ConditionTrue}
			etcd := &druidv1alpha1.Etcd{Status: druidv1alpha1.EtcdStatus{Conditions: []druidv1alpha1.Condition{other}}}
			set(&etcd.Spec)
			for range 2 { // it says so once
				r.tellWithoutEffect(etcd, metav1.Now())
			}
			told := len(recorder.Events)
			if name == "" {
				if len(etcd.Status.Conditions) != 1 || told != 0 {
					t.Errorf("%d events, conditions %+v", told, etcd.Status.Conditions)
				}
				return
			}
			if len(etcd.Status.Conditions) != 2 || told != 1 {
				t.Fatalf("%d events, conditions %+v", told, etcd.Status.Conditions)
			}
			if got := etcd.Status.Conditions[1]; got.Status != druidv1alpha1.ConditionFalse || !strings.Contains(got.Message, " "+name+" (") || strings.Count(got.Message, "spec.") > 2 {
				t.Errorf("condition %+v", got)
			}
			etcd.Spec = druidv1alpha1.EtcdSpec{}
			r.tellWithoutEffect(etcd, metav1.Now())
			if diff := cmp.Diff([]druidv1alpha1.Condition{other}, etcd.Status.Conditions); diff != "" {
				t.Errorf("without the field (-want +got):\n%s", diff)
			}
		})
	}
}
