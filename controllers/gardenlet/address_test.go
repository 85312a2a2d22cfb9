package gardenlet

import (
	"testing"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
)

func TestGardenForPods(t *testing.T) {
	in := &bootstrap.GardenService{Garden: bootstrap.Garden{Server: "https://virtual-garden-kube-apiserver.garden.svc:443"}}
	for name, tc := range map[string]struct {
		cfg  Config
		want string
	}{
		"GLT-22 pods find the garden behind a Service of the seed":    {Config{Garden: &bootstrap.Garden{Server: "https://127.0.0.1:8443"}, GardenInSeed: in}, in.Server},
		"GLT-22 pods find the garden at an address that others reach": {Config{Garden: &bootstrap.Garden{Server: "https://203.0.113.7:8443"}}, "https://203.0.113.7:8443"},
		"GLT-22 pods get no address that is their own":                {Config{Garden: &bootstrap.Garden{Server: "https://127.0.0.1:8443"}}, ""},
		"GLT-22 pods get no address where nobody knows it":            {Config{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if garden := tc.cfg.gardenForPods(); garden != nil {
				got = garden.Server
			}
			if got != tc.want {
				t.Errorf("pods find the garden at %q, want %q", got, tc.want)
			}
		})
	}
}
