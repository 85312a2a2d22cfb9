package app

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func newShootWait(global *globalFlags) *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:     "wait NAME",
		Example: `  gardener shoot wait sun --timeout 5m`,
		Short:   "Wait until a shoot is usable", Args: needs("the name of a shoot"), ValidArgsFunction: completeShoots(global),
		Long: `Wait until a shoot is usable: its last operation succeeded, all its conditions are true, and its API server answers. The exit
code is 9 if the shoot sleeps.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := shootKey(cmd, args[0])
			if err != nil {
				return err
			}
			l, garden, err := reachGarden(cmd, global)
			if err != nil {
				return err
			}
			return shootWatch{key: key, timeout: timeout, until: usable(l, key), display: global.display}.run(cmd, garden)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", followTimeout, "how long to wait until the shoot is usable")
	return cmd
}

// reachGarden loads the landscape and makes a client of its garden.
func reachGarden(cmd *cobra.Command, global *globalFlags) (*landscape, client.WithWatch, error) {
	l, err := global.load(nil)
	if err != nil {
		return nil, nil, err
	}
	garden, err := l.garden(cmd.Context())
	return l, garden, err
}

// usable is reached by a shoot that is ready and whose API server answers. A shoot that sleeps never gets there.
func usable(l *landscape, key types.NamespacedName) goal {
	api := &shootAPI{landscape: l, key: key}
	return goal{name: "is ready", reached: func(ctx context.Context, shoot *gardencorev1beta1.Shoot) (bool, string, error) {
		if shoot == nil {
			return false, "", shootNotFound(key.Namespace, key.Name)
		}
		status := statusOf(shoot)
		if status.Asleep {
			return false, "", sleeps(key.Namespace, key.Name)
		}
		if !status.Ready {
			return false, "", nil
		}
		if err := api.answers(ctx); err != nil {
			return false, fmt.Sprintf("Waiting until its API server answers: %v", err), nil
		}
		return true, "", nil
	}}
}

// gone is reached when the shoot does not exist.
func gone(key types.NamespacedName) goal {
	return goal{name: "is gone", look: watchList(key), reached: func(_ context.Context, shoot *gardencorev1beta1.Shoot) (bool, string, error) {
		return shoot == nil, "", nil
	}}
}

// sleeping is reached by a shoot that is hibernated and stays so.
func sleeping(key types.NamespacedName) goal {
	return goal{name: "sleeps", look: watchList(key), reached: func(_ context.Context, shoot *gardencorev1beta1.Shoot) (bool, string, error) {
		if shoot == nil {
			return false, "", shootNotFound(key.Namespace, key.Name)
		}
		return asleep(shoot), "", nil
	}}
}

// watchList is the command that shows the work on shoots that become no usable ones.
func watchList(key types.NamespacedName) string {
	return fmt.Sprintf("gardener shoot list -n %s --watch", key.Namespace)
}
