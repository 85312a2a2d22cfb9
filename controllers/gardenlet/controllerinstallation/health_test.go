package controllerinstallation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

func TestJudgeManaged(t *testing.T) {
	for name, tc := range map[string]struct {
		observed int64
		managed  statuses
		want     statuses
	}{
		"GLT-22 nothing is said yet":              {0, nil, statuses{"Installed": "False", "Healthy": "False", "Progressing": "True"}},
		"GLT-22 what is said is about an old one": {1, statuses{"ResourcesApplied": "True"}, statuses{"Installed": "False", "Healthy": "False", "Progressing": "True"}},
		"GLT-22 objects cannot be applied":        {1, statuses{"ResourcesApplied": "False"}, statuses{"Installed": "False", "Healthy": "False"}},
		"GLT-22 health is not known yet":          {2, statuses{"ResourcesApplied": "True"}, statuses{"Installed": "True", "Healthy": "False", "Progressing": "True"}},
		"GLT-22 all is well": {
			2, statuses{"ResourcesApplied": "True", "ResourcesHealthy": "True", "ResourcesProgressing": "False"},
			statuses{"Installed": "True", "Healthy": "True", "Progressing": "False"},
		},
		"GLT-22 a pod does not start": {
			2, statuses{"ResourcesApplied": "True", "ResourcesHealthy": "False", "ResourcesProgressing": "True"},
			statuses{"Installed": "True", "Healthy": "False", "Progressing": "True"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			managed := &resourcesv1alpha1.ManagedResource{}
			managed.Generation, managed.Status.ObservedGeneration = 2, tc.observed
			for kind, status := range tc.managed {
				managed.Status.Conditions = append(managed.Status.Conditions, gardencorev1beta1.Condition{Type: kind, Status: status})
			}
			got := statuses{}
			for kind, finding := range JudgeManaged(managed) {
				got[kind] = finding.Status
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
		})
	}
}
