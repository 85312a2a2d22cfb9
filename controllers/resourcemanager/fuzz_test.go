package resourcemanager

import (
	"reflect"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/config"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/webhook/webhooktest"
)

// FuzzWebhooks calls all webhooks of a resource manager, whichever it has.
func FuzzWebhooks(f *testing.F) {
	cfg := Config{Webhooks: config.Webhooks{
		ProjectedTokenMount:    config.ProjectedTokenMount{ExpirationSeconds: 43200},
		HighAvailabilityConfig: config.HighAvailabilityConfig{DefaultNotReadyTolerationSeconds: ptr.To[int64](30), DefaultUnreachableTolerationSeconds: ptr.To[int64](30)},
		PodSchedulerName:       config.PodSchedulerName{SchedulerName: "other-scheduler"},
		KubernetesServiceHost:  config.KubernetesServiceHost{Host: "api.example.org"},
		SystemComponentsConfig: config.SystemComponentsConfig{
			NodeSelector: map[string]string{"pool": "system"}, PodNodeSelector: map[string]string{"system": "true"},
			PodTolerations: []corev1.Toleration{{Key: "system", Operator: corev1.TolerationOpExists}},
		},
	}}
	switches := reflect.ValueOf(&cfg.Webhooks).Elem()
	for n := range switches.NumField() {
		switches.Field(n).FieldByName("Enabled").SetBool(true)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "namespace", Annotations: map[string]string{
		resourcesv1alpha1.HighAvailabilityConfigFailureToleranceType: "zone", resourcesv1alpha1.HighAvailabilityConfigZones: "a,b,c",
	}, Labels: map[string]string{constants.GardenRole: constants.GardenRoleShoot}}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node", Labels: map[string]string{"pool": "system"}}, Spec: corev1.NodeSpec{
		Taints: []corev1.Taint{{Key: "system", Effect: corev1.TaintEffectNoSchedule}},
	}}
	target := fake.NewClientBuilder().WithScheme(webhooktest.Scheme(f)).WithObjects(
		namespace, node, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "namespace", Name: "deployment"}},
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "namespace", Name: "default"}, AutomountServiceAccountToken: ptr.To(false)},
	).Build()
	webhooktest.Fuzz(f, hooks(cfg, client.Reader(target)))
}
