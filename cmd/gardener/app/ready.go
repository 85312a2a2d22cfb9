package app

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gardener-up/gardener-up/appliance/daemon"
)

// gardenKubeconfig is the name of the kubeconfig for the garden's administrator, seedKubeconfig of the runtime cluster's.
const (
	gardenKubeconfig = "garden"
	seedKubeconfig   = "seed"
)

// printReady tells what to do with a landscape that is ready.
func printReady(w io.Writer, l *landscape, report *daemon.Report) {
	fmt.Fprintf(w, "\nlandscape %q is ready in %.1f s\n\n", l.Name, report.ReadyAfter.Round(100*time.Millisecond).Seconds())
	fmt.Fprintf(w, "  export KUBECONFIG=%s\n\n", l.paths.Kubeconfig(gardenKubeconfig))
	fmt.Fprint(w, "Try next:\n")
	if _, err := os.Stat("examples"); err == nil {
		fmt.Fprint(w, "  kubectl apply -f examples/                      # order a cluster\n")
	} else {
		fmt.Fprint(w, "  gardener shoot example | kubectl apply -f -     # order a cluster\n")
	}
	fmt.Fprint(w, `  gardener shoot wait local -n garden-local       # until it is usable
  gardener kubeconfig shoot garden-local/local > k
  KUBECONFIG=k kubectl get nodes
  gardener status ; gardener down
`)
}
