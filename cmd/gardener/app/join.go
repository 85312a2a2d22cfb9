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

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/neighbours"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/state"
)

// join waits until a landscape that runs already is ready, as if this command had started it.
func join(ctx context.Context, l *landscape, show *progress, timeout time.Duration, warnings io.Writer) error {
	warning, err := l.compare()
	if err != nil {
		return err
	}
	if warning != "" {
		l.display.warn(warnings, warning)
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

// compare compares a configuration with that of the landscape, which runs. It refuses what would be refused after a stop, too, and warns
// of other differences.
func (l *landscape) compare() (warning string, _ error) {
	if id, err := state.StoredIdentity(l.paths); err == nil && id.Name != "" { // else it is just starting
		if err := state.Same(l.Landscape, id); err != nil {
			return "", &exitError{
				code: codeState, err: fmt.Errorf("landscape %q runs already: %w", l.Name, err), hint: "leave that setting out, or make another landscape beside this one with --landscape NAME",
			}
		}
	}
	running, err := state.SavedConfig(l.paths)
	if err != nil {
		return "", nil
	}
	used, _ := neighbours.Read(l.paths, servers.FrontDoor)
	if sameConfig(withPort(running, used.Port), withPort(l.Landscape, used.Port)) {
		return "", nil
	}
	return fmt.Sprintf("landscape %q runs with another configuration. The new one takes effect with \"gardener down\" and \"gardener up\"", l.Name), nil
}

// withPort is a configuration with the port that the system has chosen for it.
func withPort(cfg *config.Landscape, chosen int32) *config.Landscape {
	with := *cfg
	if with.FrontDoor.Port == nil || *with.FrontDoor.Port == 0 {
		with.FrontDoor.Port = &chosen
	}
	return &with
}

func sameConfig(a, b any) bool {
	one, err := yaml.Marshal(a)
	if err != nil {
		return false
	}
	other, err := yaml.Marshal(b)
	return err == nil && bytes.Equal(one, other)
}
