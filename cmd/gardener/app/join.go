package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/state"
)

// join waits until a landscape that runs already is ready, as if this command had started it.
func join(ctx context.Context, l *landscape, show *progress, timeout time.Duration, warnings io.Writer) error {
	if running, err := state.SavedConfig(l.paths); err == nil {
		if !sameConfig(running, l.Landscape) {
			fmt.Fprintf(warnings, "warning: landscape %q runs with another configuration. The new one takes effect with \"gardener down\" and \"gardener up\"\n", l.Name)
		}
	}
	l.display.tell(os.Stdout, event{Object: "landscape " + l.Name, State: "running already"}, fmt.Sprintf("landscape %q is running already\n", l.Name))
	report, err := daemon.NewClient(l.paths.Run().Socket()).Report(ctx)
	if err != nil || report.ReadyAfter == 0 {
		if report, err = watchUntilReady(ctx, l, nil, show, timeout); ctx.Err() != nil {
			return &exitError{code: codeInterrupted, err: ctx.Err(), hint: `the landscape goes on starting; "gardener up" waits for it again, and "gardener down" stops it`}
		} else if err != nil {
			return err
		}
	}
	var next strings.Builder
	printNext(&next, l, report)
	l.display.tell(os.Stdout, event{Object: "landscape " + l.Name, State: "ready", Message: "KUBECONFIG=" + l.paths.Kubeconfig(gardenKubeconfig)}, next.String())
	return nil
}

func sameConfig(a, b any) bool {
	one, err := yaml.Marshal(a)
	if err != nil {
		return false
	}
	other, err := yaml.Marshal(b)
	return err == nil && bytes.Equal(one, other)
}
