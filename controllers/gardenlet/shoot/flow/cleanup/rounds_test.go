package cleanup

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRounds(t *testing.T) {
	for name, tc := range map[string]struct {
		round round
		want  []string
	}{
		"CLN-1 webhooks":      {webhooks, []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}},
		"CLN-2 extended APIs": {extendedAPIs, []string{"APIService", "CustomResourceDefinition"}},
		"CLN-3 workloads": {resources, []string{
			"CronJob", "DaemonSet", "Deployment", "Ingress", "Job", "PersistentVolumeClaim", "Pod", "ReplicaSet", "ReplicationController", "Service", "StatefulSet",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var kinds []string
			for _, kind := range tc.round.kinds {
				kinds = append(kinds, kind.Kind)
			}
			slices.Sort(kinds)
			if diff := cmp.Diff(tc.want, kinds); diff != "" {
				t.Errorf("kinds (-want +got):\n%s", diff)
			}
		})
	}
}
