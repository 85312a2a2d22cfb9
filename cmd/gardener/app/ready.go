package app

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gardener-up/gardener-up/appliance/daemon"
)

// gardenKubeconfig is the name of the garden administrator's kubeconfig, seedKubeconfig that of the runtime
// cluster's.
const (
	gardenKubeconfig = "garden"
	seedKubeconfig   = "seed"
)

// printReady prints what users can do with a landscape that is ready.
func printReady(w io.Writer, l *landscape, report *daemon.Report) {
	fmt.Fprintf(w, "\nlandscape %q is ready in %.1f s\n\n", l.Name, report.ReadyAfter.Round(100*time.Millisecond).Seconds())
	for _, warning := range append(attention(report.Parts), refusing(report.Parts)...) {
		fmt.Fprintf(w, "warning: %s\n\n", warning)
	}
	fmt.Fprintf(w, "  export KUBECONFIG=%s\n\n", l.paths.Kubeconfig(gardenKubeconfig))
	fmt.Fprint(w, "Try next:\n")
	if _, err := os.Stat("examples"); err == nil {
		fmt.Fprint(w, "  kubectl apply -f examples/                      # create a shoot\n")
	} else {
		fmt.Fprint(w, "  gardener shoot example | kubectl apply -f -     # create a shoot\n")
	}
	fmt.Fprint(w, `  gardener shoot wait local -n garden-local       # wait until it is usable
  gardener kubeconfig shoot garden-local/local > k
  KUBECONFIG=k kubectl get nodes
  gardener status ; gardener down
`)
}
