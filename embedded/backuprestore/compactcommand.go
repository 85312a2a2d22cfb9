package backuprestore

import (
	"errors"

	"github.com/spf13/cobra"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/compact"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/compression"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// compactFlags are the flags of compact.
type compactFlags struct {
	guard           guard
	store           store.Config
	dir, compressed string
}

func compactCommand(apply func(guardeddial.Rules) error) *cobra.Command {
	f := &compactFlags{guard: guard{process: apply}}
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "Merge the newest full snapshot and the deltas after it",
		Long: `Merge the newest full snapshot of an etcd and the deltas after it into another full snapshot, so that a restoration is faster.
Nothing is deleted from the store. If there is nothing to merge, nothing happens.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SilenceUsage = true
			return f.run(cmd)
		},
	}
	f.guard.add(cmd)
	addStore(cmd, &f.store, "")
	addSourceKeys(cmd, &f.store)
	cmd.Flags().StringVar(&f.dir, "work-dir", "", "directory for the database that is made, which is twice as large for a moment; required")
	cmd.Flags().StringVar(&f.compressed, "compression", "gzip", "gzip, zlib, lzw, zstd or none")
	_ = cmd.MarkFlagRequired("work-dir") // fails only for a flag that does not exist
	return cmd
}

func (f *compactFlags) run(cmd *cobra.Command) error {
	log := ctrllog.Log.WithName(Component)
	suffix, err := compression.Suffix(f.compressed)
	if err != nil {
		return err
	}
	if err := f.guard.apply(f.store); err != nil {
		return err
	}
	from, err := store.Open(cmd.Context(), f.store)
	if err != nil {
		return err
	}
	defer from.Close()
	made, err := compact.Run(cmd.Context(), compact.Config{Store: from, Dir: f.dir, Suffix: suffix})
	if errors.Is(err, compact.ErrNothing) {
		log.Info("Nothing is merged", "reason", err.Error())
		return nil
	}
	if err == nil {
		log.Info("Merged snapshots", "snapshot", made.Key(), "bytes", made.Size)
	}
	return err
}
