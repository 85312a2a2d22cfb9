package app

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func newShootMigrate(global *globalFlags) *cobra.Command {
	var to string
	waiting, rehearsal := &waiting{}, &rehearsal{}
	cmd := &cobra.Command{
		Use: "migrate NAME --to SEED", Short: "Move the control plane of a shoot to another seed", Args: needs("the name of a shoot"), ValidArgsFunction: completeShoots(global),
		Long: `Move the control plane of a shoot to another seed. All objects of the shoot, its certificate authorities and its keys go along, and
kubeconfigs stay valid. Its API server does not answer while it moves. Nodes that are containers keep running. Nodes of embedded
seeds start again on the other seed, as the same nodes.

A seed whose gardenlet does not run cannot release a shoot. Then migrate it with --wait=false, and annotate the Shoot with
shoot.gardener.cloud/force-restore=true: the other seed takes it with its latest backup.`,
		Example: `  gardener seed add two
  gardener shoot migrate sun --to two
  gardener shoot migrate sun --to two --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" {
				return usageError(fmt.Errorf("the seed to move to is missing"), "name it with --to; see \"gardener seed list\"")
			}
			key, err := shootKey(cmd, args[0])
			if err != nil {
				return err
			}
			_, garden, err := reachGarden(cmd, global)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			if err := retry.RetryOnConflict(retry.DefaultBackoff, func() error { return bind(ctx, garden, key, to, rehearsal) }); err != nil {
				return err
			}
			if rehearsal.idle = "is on its way there already: nothing would change"; rehearsal.dryRun {
				return rehearsal.tell(cmd, garden.Scheme(), "shoot "+key.String(), "would move to seed "+to)
			}
			return waiting.follow(cmd, garden, key, onSeed(key, to))
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the seed to move to")
	_ = cmd.RegisterFlagCompletionFunc("to", func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return completeSeeds(global, sourceFirst, sourceEmbedded, sourceKubeconfig, sourceGardenlet)(cmd, nil, typed)
	})
	waiting.addTo(cmd, global)
	rehearsal.addTo(cmd, global)
	return cmd
}

// bind assigns a shoot to a seed. A shoot that is on its way there already stays so.
func bind(ctx context.Context, garden client.Client, key types.NamespacedName, to string, rehearsal *rehearsal) error {
	shoot, err := readShoot(ctx, garden, key)
	if err != nil {
		return err
	}
	switch wanted, held := ptr.Deref(shoot.Spec.SeedName, ""), ptr.Deref(shoot.Status.SeedName, ""); {
	case wanted == to && held == to:
		return &exitError{code: codeFailure, err: fmt.Errorf("shoot %s is on seed %s already", key, to), hint: `see "gardener seed list" for others`}
	case wanted == to:
		rehearsal.note(shoot, shoot)
		return nil
	}
	if err := garden.Get(ctx, types.NamespacedName{Name: to}, &gardencorev1beta1.Seed{}); apierrors.IsNotFound(err) {
		return &exitError{code: codeNotFound, err: fmt.Errorf("there is no seed %q", to), hint: `see "gardener seed list"; add one with "gardener seed add"`}
	} else if err != nil {
		return fmt.Errorf("read seed %s: %w", to, err)
	}
	before := shoot.DeepCopy()
	shoot.Spec.SeedName = &to
	err = garden.SubResource("binding").Patch(ctx, shoot, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), rehearsal.patchPart()...)
	if err != nil {
		return &exitError{code: codeFailure, err: fmt.Errorf("assign shoot %s to seed %s: %w", key, to, err), hint: fmt.Sprintf("see how it is with: gardener shoot describe %s", key)}
	}
	rehearsal.note(before, shoot)
	return nil
}

// onSeed is reached when the control plane of a shoot is restored on a seed.
func onSeed(key types.NamespacedName, seed string) goal {
	return goal{name: "is on seed " + seed, reached: func(_ context.Context, shoot *gardencorev1beta1.Shoot) (bool, string, error) {
		if shoot == nil {
			return false, "", shootNotFound(key.Namespace, key.Name)
		}
		last := shoot.Status.LastOperation
		switch {
		case ptr.Deref(shoot.Spec.SeedName, "") != seed:
			return false, "", &exitError{code: codeFailure, err: fmt.Errorf("shoot %s was assigned to seed %s meanwhile", key, ptr.Deref(shoot.Spec.SeedName, "")),
				hint: fmt.Sprintf("see how it is with: gardener shoot describe %s", key)}
		case last == nil:
			return false, "", nil
		case last.Type != gardencorev1beta1.LastOperationTypeMigrate && last.Type != gardencorev1beta1.LastOperationTypeRestore && ptr.Deref(shoot.Status.SeedName, "") != seed:
			return false, fmt.Sprintf("Waiting until seeds %s and %s are ready", ptr.Deref(shoot.Status.SeedName, ""), seed), nil
		}
		return ptr.Deref(shoot.Status.SeedName, "") == seed && last.State == gardencorev1beta1.LastOperationStateSucceeded, "", nil
	}}
}
