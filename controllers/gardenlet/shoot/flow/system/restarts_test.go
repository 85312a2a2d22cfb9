package system

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestRestartOf(t *testing.T) {
	restarted := func(times ...string) []corev1.PodTemplateSpec {
		var templates []corev1.PodTemplateSpec
		for _, at := range times {
			template := corev1.PodTemplateSpec{}
			if at != "" {
				metav1.SetMetaDataAnnotation(&template.ObjectMeta, annotationRestarted, at)
			}
			templates = append(templates, template)
		}
		return templates
	}
	const earlier, later, now = "2026-07-01T12:00:00Z", "2026-07-02T12:00:00Z", "2026-07-03T12:00:00Z"
	for name, tc := range map[string]struct {
		tasks   string
		present []corev1.PodTemplateSpec
		want    map[string]string
	}{
		"GCM-33 an order restarts now":                       {"deployInfrastructure,restartCoreAddons", restarted(earlier), map[string]string{annotationRestarted: now}},
		"GCM-33 without one pods stay as they are":           {"restartControlPlanePods", restarted("", later, earlier), map[string]string{annotationRestarted: later}},
		"GCM-33 pods that were never restarted tell no time": {"", restarted("", ""), nil},
		"GCM-33 a new cluster has no pods":                   {"", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := shootWithWorkers(func(s *gardencorev1beta1.Shoot) {
				metav1.SetMetaDataAnnotation(&s.ObjectMeta, "shoot.gardener.cloud/tasks", tc.tasks)
			})
			r := Restarts{Shoot: shoot, Clock: testclock.NewFakePassiveClock(time.Date(2026, 7, 3, 12, 0, 0, 0, time.UTC))}
			got, err := r.of(t.Context(), connection.Connection{}, func(context.Context, client.Reader) ([]corev1.PodTemplateSpec, error) { return tc.present, nil })
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("annotations (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}
