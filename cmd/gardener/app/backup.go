package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/druid/backupserver"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

const etcdMain = "etcd-main"

func newShootBackup(global *globalFlags) *cobra.Command {
	var (
		full    bool
		timeout time.Duration
		output  string
	)
	cmd := &cobra.Command{
		Use: "backup NAME", Short: "Back up the etcd of a shoot now", Args: needs("the name of a shoot"), ValidArgsFunction: completeShoots(global),
		Long: `Back up the etcd of a shoot now: all changes since the last snapshot, or everything with --full.`,
		Example: `  gardener shoot backup sun
  gardener shoot backup sun --full`,
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := shootKey(cmd, args[0])
			if err != nil {
				return err
			}
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			made, err := backUp(ctx, l, key, full)
			switch {
			case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
				return &exitError{code: codeTimeout, err: fmt.Errorf("shoot %s is not backed up after %s: %w", key, timeout, err), hint: fmt.Sprintf("it may go on; see how it is with: gardener shoot describe %s", key)}
			case err != nil:
				return cured(err, fmt.Sprintf("see how it is with: gardener shoot describe %s", key))
			case output != "text":
				return printAs(cmd.OutOrStdout(), output, made, nil)
			case made == nil:
				const same = "has not changed since its last backup"
				l.display.tell(cmd.OutOrStdout(), event{Object: "shoot " + key.String(), State: "backed up already", Message: same}, fmt.Sprintf("shoot %s %s\n", key, same))
			default:
				to := fmt.Sprintf("revision %d: %s, %d bytes", made.LastRevision, made.SnapName, made.Size)
				l.display.tell(cmd.OutOrStdout(), event{Object: "shoot " + key.String(), State: "backed up", Message: to}, fmt.Sprintf("shoot %s is backed up to %s\n", key, to))
			}
			return nil
		},
	}
	addOutputs(cmd, &output, "text", "json", "yaml")
	cmd.Flags().BoolVar(&full, "full", false, "store everything, not only what has changed")
	cmd.Flags().DurationVar(&timeout, "timeout", 10*time.Minute, "how long the backup may take")
	return cmd
}

// backUp asks the backup server of the shoot's etcd for a snapshot. It returns nil if there was nothing to store.
func backUp(ctx context.Context, l *landscape, key types.NamespacedName, full bool) (*backupserver.Snapshot, error) {
	garden, err := l.garden(ctx)
	if err != nil {
		return nil, err
	}
	shoot := &gardencorev1beta1.Shoot{}
	if err := garden.Get(ctx, key, shoot); apierrors.IsNotFound(err) {
		return nil, shootNotFound(key.Namespace, key.Name)
	} else if err != nil {
		return nil, fmt.Errorf("read shoot %s: %w", key, err)
	}
	if asleep(shoot) {
		return nil, &exitError{code: codeFailure, err: fmt.Errorf("shoot %s sleeps: its etcd does not run", key), hint: "it was backed up when it fell asleep"}
	}
	seed, config, err := l.seed(ctx, ptr.Deref(shoot.Status.SeedName, ""))
	if err != nil {
		return nil, err
	}
	kind := backupserver.Delta
	if full {
		kind = backupserver.Full
	}
	made, err := backupserver.Take(ctx, seed, config, types.NamespacedName{Namespace: shoot.Status.TechnicalID, Name: etcdMain}, kind, false)
	if err != nil {
		return nil, fmt.Errorf("shoot %s: %w", key, err)
	}
	return made, nil
}

// seed returns a client for a seed of the landscape, and its configuration.
func (l *landscape) seed(ctx context.Context, name string) (client.Client, *rest.Config, error) {
	paths := l.paths
	if name != l.Seed.Name {
		paths = l.paths.Seed(name)
	}
	config, err := clientcmd.BuildConfigFromFlags("", paths.Kubeconfig(seedKubeconfig))
	if err != nil {
		return nil, nil, &exitError{
			code: codeFailure, err: fmt.Errorf("read the kubeconfig of seed %q: %w", name, err), hint: `only seeds that the landscape runs have one; see "gardener seed list"`,
		}
	}
	if config, err = withoutPlugin(ctx, config); err != nil {
		return nil, nil, err
	}
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		return nil, nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	return c, config, err
}
