package app

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
)

func TestNewShoots(t *testing.T) {
	scheme := gardenScheme()
	if err := gardencorev1beta1.RegisterDefaults(scheme); err != nil {
		t.Fatal(err)
	}
	key := types.NamespacedName{Namespace: "garden-sky", Name: "sun"}
	for name, tc := range map[string]struct {
		flags   newShootFlags
		chosen  bool // the number of workers
		check   func(*gardencorev1beta1.Shoot) bool
		problem string
	}{
		"the example": {flags: newShootFlags{workers: 1}, check: func(s *gardencorev1beta1.Shoot) bool {
			w := s.Spec.Provider.Workers[0]
			return s.Namespace == "garden-sky" && s.Name == "sun" && w.Minimum == 1 && w.Maximum == 1 && s.Spec.SeedName == nil && s.Spec.Purpose == nil
		}},
		"a version, a seed and a purpose": {flags: newShootFlags{workers: 1, version: "1.35", seed: "b", purpose: "testing"}, check: func(s *gardencorev1beta1.Shoot) bool {
			return s.Spec.Kubernetes.Version == "1.35" && ptr.Deref(s.Spec.SeedName, "") == "b" && *s.Spec.Purpose == gardencorev1beta1.ShootPurposeTesting
		}},
		"nodes that the autoscaler adds": {flags: newShootFlags{workers: 2, maxWorkers: 5}, chosen: true, check: func(s *gardencorev1beta1.Shoot) bool {
			w := s.Spec.Provider.Workers[0]
			return w.Minimum == 2 && w.Maximum == 5
		}},
		"a pool that may be empty": {flags: newShootFlags{maxWorkers: 5}, chosen: true, check: func(s *gardencorev1beta1.Shoot) bool {
			return s.Spec.Provider.Workers[0].Minimum == 0 && s.Spec.Provider.Workers[0].Maximum == 5
		}},
		"no workers": {chosen: true, check: func(s *gardencorev1beta1.Shoot) bool {
			return len(s.Spec.Provider.Workers) == 0 && s.Spec.Networking == nil && s.Spec.CredentialsBindingName == nil
		}},
		"a control plane that tolerates failures": {flags: newShootFlags{workers: 1, tolerance: "node"}, check: func(s *gardencorev1beta1.Shoot) bool {
			return s.Spec.ControlPlane.HighAvailability.FailureTolerance.Type == gardencorev1beta1.FailureToleranceTypeNode
		}},
		"fewer nodes than the least": {flags: newShootFlags{workers: 3, maxWorkers: 2}, chosen: true, problem: "--max-workers 2 is less than --workers 3"},
		"a negative number":          {flags: newShootFlags{workers: -1}, chosen: true, problem: "must not be negative"},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			shoot, err := tc.flags.shoot(key, tc.chosen)
			if tc.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tc.problem) {
					t.Errorf("error is %v", err)
				}
				return
			}
			if err != nil || !tc.check(shoot) {
				t.Fatalf("%v: %+v", err, shoot)
			}
			defaulted := shoot.DeepCopy()
			scheme.Default(defaulted)
			if mistakes := validation.ValidateShoot(defaulted); len(mistakes) > 0 {
				t.Errorf("the garden refuses it: %v", mistakes.ToAggregate())
			}
			text, err := yaml.Marshal(manifest(shoot))
			if err != nil {
				t.Fatal(err)
			}
			read := &gardencorev1beta1.Shoot{}
			if err := yaml.UnmarshalStrict(text, read); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(shoot, read); diff != "" {
				t.Errorf("what --dry-run prints is another shoot (-created +printed):\n%s", diff)
			}
		})
	}
}
