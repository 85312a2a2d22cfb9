package shootvalidator

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestPassingThroughExpiredVersions(t *testing.T) {
	versions := []core.ExpirableVersion{
		{Version: "1.34.1", ExpirationDate: at(-2)}, {Version: "1.35.1", ExpirationDate: at(-1)}, {Version: "1.35.2", ExpirationDate: at(-1)}, {Version: "1.36.1"},
	}
	for name, tc := range map[string]struct {
		old, wanted string
		refused     bool
	}{
		"VER-4 an expired version may be left for the newest of the next minor, which is expired, too": {"1.34.1", "1.35.2", false},
		"VER-4 but for no other expired one": {"1.34.1", "1.35.1", true},
		"VER-2 nobody goes back":             {"1.36.1", "1.35.2", true},
	} {
		t.Run(name, func(t *testing.T) {
			c := &check{profile: &core.CloudProfileSpec{Kubernetes: core.KubernetesSettings{Versions: versions}}, shoot: &core.Shoot{}, old: &core.Shoot{}, now: now}
			c.old.Spec.Kubernetes.Version, c.shoot.Spec.Kubernetes.Version = tc.old, tc.wanted
			c.kubernetes(field.NewPath("version"))
			if (len(c.errs) > 0) != tc.refused {
				t.Errorf("errors %v", c.errs)
			}
		})
	}
}
