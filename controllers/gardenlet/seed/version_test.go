package seed

import "testing"

func TestSupported(t *testing.T) {
	for version, want := range map[string]bool{"v1.16.15": false, "v1.17.0": true, "v1.36.3+k3s1": true, "nonsense": false} {
		t.Run("API-10 a seed with Kubernetes "+version, func(t *testing.T) {
			if err := supported(version); (err == nil) != want {
				t.Errorf("error %v, want one: %v", err, !want)
			}
		})
	}
}
