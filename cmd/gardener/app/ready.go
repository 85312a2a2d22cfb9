package app

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

// gardenKubeconfig is the name of the garden administrator's kubeconfig, seedKubeconfig that of the runtime
// cluster's.
const (
	gardenKubeconfig = "garden"
	seedKubeconfig   = "seed"
)

// printReady prints that a landscape has become ready.
func printReady(w io.Writer, l *landscape, report *daemon.Report) {
	took := report.ReadyAfter.Round(100 * time.Millisecond)
	var text strings.Builder
	fmt.Fprintf(&text, "\nlandscape %q is ready in %.1f s\n", l.Name, took.Seconds())
	printNext(&text, l, report)
	l.display.tell(w, event{Object: "landscape " + l.Name, State: "ready", Seconds: seconds(took), Message: "KUBECONFIG=" + l.paths.Kubeconfig(gardenKubeconfig)}, text.String())
}

// printNext prints what users can do with a landscape that is ready.
func printNext(w io.Writer, l *landscape, report *daemon.Report) {
	fmt.Fprintln(w)
	for _, warning := range append(attention(report.Parts), refusing(report.Parts)...) {
		fmt.Fprintf(w, "warning: %s\n\n", warning)
	}
	fmt.Fprintf(w, "  export KUBECONFIG=%s\n", paths.Word(l.paths.Kubeconfig(gardenKubeconfig)))
	if choice := l.choice(); choice != "" {
		fmt.Fprintf(w, "  export %s\n", choice)
	}
	fmt.Fprintln(w)
	fmt.Fprint(w, "Try next:\n")
	if _, err := os.Stat("examples"); err == nil {
		fmt.Fprint(w, "  kubectl apply -f examples/                      # create a shoot\n")
	} else {
		fmt.Fprint(w, "  gardener shoot example | kubectl apply -f -     # create a shoot\n")
	}
	fmt.Fprint(w, `  gardener shoot wait local -n garden-local       # wait until it is usable
  gardener kubeconfig shoot garden-local/local > k
  KUBECONFIG=k kubectl get nodes
  gardener status                                 # see how the landscape is
  gardener down                                   # stop it; the next "up" brings everything back
`)
}

// choice sets, in words of a shell, the variable with which later commands find this landscape; empty for the one that they find by themselves.
func (l *landscape) choice() string {
	switch usual, err := paths.DefaultRoot(l.Name); {
	case err != nil || usual != l.paths.Root():
		return "GARDENER_STATE_DIR=" + paths.Word(l.paths.Root())
	case l.Name != config.DefaultName:
		return "GARDENER_LANDSCAPE=" + l.Name
	}
	return ""
}
