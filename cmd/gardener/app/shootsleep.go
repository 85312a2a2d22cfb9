package app

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func newShootHibernate(global *globalFlags) *cobra.Command {
	return newSleep(global, true, &cobra.Command{
		Use: "hibernate NAME",
		Example: `  gardener shoot hibernate sun
  gardener shoot hibernate sun --dry-run`,
		Aliases: []string{"stop"}, Short: "Put a shoot to sleep: it keeps its data, and has no nodes and no control plane",
	})
}

func newShootWake(global *globalFlags) *cobra.Command {
	return newSleep(global, false, &cobra.Command{
		Use:     "wake NAME",
		Example: `  gardener shoot wake sun`,
		Aliases: []string{"wakeup", "start"}, Short: "Wake up a shoot that sleeps, and wait until it is usable",
	})
}

// newSleep completes the command that hibernates a shoot or wakes it up.
func newSleep(global *globalFlags, hibernate bool, cmd *cobra.Command) *cobra.Command {
	waiting, rehearsal := &waiting{}, &rehearsal{}
	cmd.Args, cmd.ValidArgsFunction = needs("the name of a shoot"), completeShoots(global)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		key, err := shootKey(cmd, args[0])
		if err != nil {
			return err
		}
		l, garden, err := reachGarden(cmd, global)
		if err != nil {
			return err
		}
		patch := fmt.Appendf(nil, `{"spec":{"hibernation":{"enabled":%t}}}`, hibernate)
		if err := patchShoot(cmd.Context(), garden, key, patch, rehearsal); err != nil {
			return err
		}
		until, would := usable(l, key), "would wake up"
		rehearsal.idle = "is to be awake already: nothing would change"
		if hibernate {
			until, would = sleeping(key), "would be hibernated"
			rehearsal.idle = "is to be hibernated already: nothing would change"
		}
		if rehearsal.dryRun {
			return rehearsal.tell(cmd, garden.Scheme(), "shoot "+key.String(), would)
		}
		return waiting.follow(cmd, garden, key, until)
	}
	waiting.addTo(cmd, global)
	rehearsal.addTo(cmd, global)
	return cmd
}

// patchShoot changes a shoot by a merge patch.
func patchShoot(ctx context.Context, garden client.Client, key types.NamespacedName, patch []byte, rehearsal *rehearsal) error {
	shoot, err := readShoot(ctx, garden, key)
	if err != nil {
		return err
	}
	before := shoot.DeepCopy()
	err = garden.Patch(ctx, shoot, client.RawPatch(types.MergePatchType, patch), rehearsal.patch()...)
	if apierrors.IsNotFound(err) {
		return shootNotFound(key.Namespace, key.Name)
	}
	if err != nil {
		return fmt.Errorf("change shoot %s: %w", key, err)
	}
	rehearsal.note(before, shoot)
	return nil
}

// waiting are the flags of commands that wait for what they start.
type waiting struct {
	wait    bool
	timeout time.Duration
	display *display
}

func (w *waiting) addTo(cmd *cobra.Command, global *globalFlags) {
	w.display = global.display
	cmd.Flags().BoolVar(&w.wait, "wait", true, "wait until it is done")
	cmd.Flags().DurationVar(&w.timeout, "timeout", followTimeout, "how long to wait")
}

// follow waits for the goal if the user wants to.
func (w *waiting) follow(cmd *cobra.Command, garden client.Reader, key types.NamespacedName, until goal) error {
	if !w.wait {
		w.display.tellStarted(cmd.OutOrStdout(), "shoot "+key.String(), until.follow(key))
		return nil
	}
	return shootWatch{key: key, timeout: w.timeout, until: until, display: w.display}.run(cmd, garden)
}
