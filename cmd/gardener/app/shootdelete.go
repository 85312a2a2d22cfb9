package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func newShootDelete(global *globalFlags) *cobra.Command {
	var (
		timeout   time.Duration
		yes       bool
		rehearsal = &rehearsal{}
	)
	cmd := &cobra.Command{
		Use: "delete NAME",
		Example: `  gardener shoot delete sun --yes
  gardener shoot delete garden-dev/sun --yes --timeout 20m
  gardener shoot delete sun --dry-run`,
		Short: "Confirm and delete a shoot and wait until it is gone", Args: needs("the name of a shoot"), ValidArgsFunction: completeShoots(global),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := shootKey(cmd, args[0])
			if err != nil {
				return err
			}
			if err := confirm(cmd, yes || rehearsal.dryRun, fmt.Sprintf("deleting shoot %s destroys everything in it", key)); err != nil {
				return err
			}
			_, garden, err := reachGarden(cmd, global)
			if err != nil {
				return err
			}
			if err := deleteShoot(cmd.Context(), garden, key, rehearsal); err != nil {
				return err
			}
			if rehearsal.dryRun {
				return rehearsal.tell(cmd, garden.Scheme(), "shoot "+key.String(), "would be deleted")
			}
			return shootWatch{key: key, timeout: timeout, until: gone(key), display: global.display}.run(cmd, garden)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", followTimeout, "how long to wait until it is gone")
	rehearsal.addTo(cmd, global)
	cmd.Flags().BoolVar(&yes, "yes", false, "confirm the deletion; without it the command asks on a terminal, and refuses elsewhere")
	return cmd
}

// deleteShoot confirms the deletion by the annotation and deletes the shoot. In a dry run the annotation is not stored, so the garden misses
// it when it is asked about the deletion.
func deleteShoot(ctx context.Context, garden client.Client, key types.NamespacedName, rehearsal *rehearsal) error {
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, confirmDeletion)
	if err := patchShoot(ctx, garden, key, patch, rehearsal); err != nil {
		return err
	}
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	err := garden.Delete(ctx, shoot, rehearsal.remove()...)
	switch {
	case rehearsal.dryRun && apierrors.IsForbidden(err) && strings.Contains(err.Error(), confirmDeletion):
		return nil
	case apierrors.IsNotFound(err):
		return shootNotFound(key.Namespace, key.Name)
	case err != nil:
		return fmt.Errorf("delete shoot %s: %w", key, err)
	}
	return nil
}
