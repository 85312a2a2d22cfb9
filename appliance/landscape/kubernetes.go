package landscape

import (
	"fmt"
	"strings"

	"k8s.io/component-base/version"
)

// emulatedMinors is how many minor versions before its own a kube-apiserver can emulate.
const emulatedMinors = 3

// KubernetesVersions returns the versions that this binary serves: its own and, by emulation, the minors before it.
func KubernetesVersions() []string {
	own := strings.TrimPrefix(version.Get().GitVersion, "v")
	versions := []string{own}
	var major, minor int
	if _, err := fmt.Sscanf(own, "%d.%d", &major, &minor); err == nil {
		for n := 1; n <= emulatedMinors; n++ {
			versions = append(versions, fmt.Sprintf("%d.%d.0", major, minor-n))
		}
	}
	return versions
}
