package backuprestore

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/transfer"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// finalPause is the time between two looks for a final snapshot.
const finalPause = 5 * time.Second

// copyFlags are the flags of copy.
type copyFlags struct {
	guard          guard
	source, target store.Config
	days           uint32
	full           uint32
	awaitFinal     bool
	finalTimeout   time.Duration
}

func copyCommand(apply func(guardeddial.Rules) error) *cobra.Command {
	f := &copyFlags{guard: guard{process: apply}}
	cmd := &cobra.Command{
		Use:   "copy",
		Short: "Copy snapshots from one store to another",
		Long: `Copy snapshots from one store to another. Snapshots that the target has already are skipped. If no final snapshot comes
in time, those that exist are copied. It is an error if no full snapshot exists.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SilenceUsage = true
			return f.run(cmd)
		},
	}
	f.guard.add(cmd)
	addStore(cmd, &f.source, "source-")
	addStore(cmd, &f.target, "")
	flags := cmd.Flags()
	flags.Uint32Var(&f.days, "max-backup-age", 0, "days after which a full snapshot is not copied; any age if 0")
	flags.Uint32Var(&f.full, "max-backups", 0, "number of full snapshots to copy, the newest first; all if 0")
	flags.BoolVar(&f.awaitFinal, "wait-for-final-snapshot", false, "wait until the newest full snapshot of the source is final")
	flags.DurationVar(&f.finalTimeout, "wait-for-final-snapshot-timeout", 0, "how long to wait for it; without end if 0")
	return cmd
}

func (f *copyFlags) run(cmd *cobra.Command) error {
	ctx, log := cmd.Context(), ctrllog.Log.WithName(Component)
	if err := f.guard.apply(f.source, f.target); err != nil {
		return err
	}
	source, err := store.Open(ctx, f.source)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	defer source.Close()
	target, err := store.Open(ctx, f.target)
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	defer target.Close()
	if f.awaitFinal {
		err := transfer.AwaitFinal(ctx, source, finalPause, f.finalTimeout)
		if errors.Is(err, transfer.ErrNoFinal) {
			log.Info("No final snapshot came in time; the snapshots that exist are copied")
		} else if err != nil {
			return err
		}
	}
	result, err := transfer.Copy(ctx, source, target, transfer.Limits{Age: time.Duration(f.days) * 24 * time.Hour, Full: int(f.full)})
	log.Info("Copied snapshots", "copied", result.Copied, "present", result.Present, "bytes", result.Bytes)
	if err != nil {
		return fmt.Errorf("copy snapshots from %q of bucket %q: %w", f.source.Prefix, f.source.Container, err)
	}
	return nil
}
