package app

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/snapshots"
)

// etcdSnapshot is a snapshot of an etcd of the landscape itself.
type etcdSnapshot struct {
	Etcd string `json:"etcd"`
	storedSnapshot
}

func newEtcdSnapshots(global *globalFlags) *cobra.Command {
	var (
		seed   seedFlag
		output string
	)
	cmd := &cobra.Command{
		Use: "snapshots [NAME]", Short: "List the backups of the landscape's own etcds, the oldest first", Args: mayHave("the name of an etcd"), ValidArgsFunction: seed.complete(global),
		Example: `  gardener etcd snapshots
  gardener etcd snapshots etcd-garden -o json
  gardener etcd snapshots --seed two`,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, stored, err := seed.load(global, args)
			if err != nil {
				return err
			}
			names := args
			if len(names) == 0 {
				names = stored.names()
			}
			found, err := stored.snapshots(cmd.Context(), names)
			if err != nil {
				return cured(err, "look at the rights of the directory "+stored.paths.Snapshots())
			}
			return printAs(cmd.OutOrStdout(), output, found, func() [][]string {
				rows := [][]string{append([]string{"ETCD"}, snapshotColumns...)}
				for _, s := range found {
					rows = append(rows, append([]string{s.Etcd}, s.row()...))
				}
				return rows
			})
		},
	}
	seed.add(cmd, global)
	addOutput(cmd, &output)
	return cmd
}

// snapshots lists those of the named etcds.
func (e storedEtcds) snapshots(ctx context.Context, names []string) ([]etcdSnapshot, error) {
	out := []etcdSnapshot{}
	for _, name := range names {
		all, err := snapshots.List(ctx, e.paths, name)
		if err != nil {
			return nil, err
		}
		for _, s := range all {
			out = append(out, etcdSnapshot{name, describeSnapshot(s)})
		}
	}
	return out, nil
}
