package cleanup

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestForceAfter(t *testing.T) {
	for name, tc := range map[string]struct {
		kinds round
		value string
		want  time.Duration
	}{
		"CLN-6 webhooks for shorter":             {webhooks, "60", time.Minute},
		"CLN-6 webhooks for longer":              {webhooks, "900", 15 * time.Minute},
		"CLN-6 extended APIs for longer":         {extendedAPIs, "7200", 2 * time.Hour},
		"CLN-6 workloads for longer":             {resources, "600", 10 * time.Minute},
		"CLN-4 CLN-6 volumes alone for longer":   {volumes, "600", 10 * time.Minute},
		"a time that does not fit is a year":     {webhooks, "9223372036854775807", longest},
		"a negative time changes nothing":        {webhooks, "-1", 5 * time.Minute},
		"a text that is no time changes nothing": {webhooks, "5m", 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{tc.kinds.annotation: tc.value}}}
			if got := (Cleanup{Shoot: shoot}).forceAfter(tc.kinds); got != tc.want {
				t.Errorf("finalizers are removed after %s, want %s", got, tc.want)
			}
		})
	}
}
