package daytwo

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// abort creates shoots with a worker side by side, and deletes each one at another moment of its creation. A unit test of the flow
// covers each of its steps, and TestKilledCreations kills the daemon at as many moments as make soak asks for.
func abort(t *testing.T, l *framework.Landscape) {
	moments := map[string]int{"aborted-0": 0, "aborted-40": 40, "aborted-90": 90}
	var manifest strings.Builder
	var names []string
	for name := range moments {
		fmt.Fprintf(&manifest, withWorker, name, kubeversion.Number)
		names = append(names, name)
	}
	l.Kubectl(l.Garden(), "create", "-f", l.File("aborted.yaml", manifest.String()))
	l.Eventually(4*time.Minute, "every creation has come to its moment", func() (bool, string) {
		states := l.Kubectl(l.Garden(), "-n", project, "get", "shoots", "-o", `jsonpath={range .items[*]}{.metadata.name} {.status.lastOperation.type} {.status.lastOperation.progress}{"\n"}{end}`)
		for line := range strings.Lines(states) {
			fields := strings.Fields(line)
			if len(fields) == 0 {
				continue
			}
			moment, waits := moments[fields[0]]
			if !waits {
				continue
			}
			progress := -1 // the gardenlet has not begun
			if len(fields) == 3 {
				progress, _ = strconv.Atoi(fields[2])
			}
			if moment == 0 || progress >= moment {
				remove(l, fields[0])
				delete(moments, fields[0])
			}
		}
		return len(moments) == 0, states
	})
	awaitGone(l, 8*time.Minute, names...)
	nothingLeft(l, "aborted-")
}
