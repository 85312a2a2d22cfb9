package app

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
)

func newEtcdRestore(global *globalFlags) *cobra.Command {
	var (
		seed   seedFlag
		yes    bool
		output string
	)
	cmd := &cobra.Command{
		Use: "restore NAME", Short: "Restore an etcd of a stopped landscape from its newest backup", Args: needs("the name of an etcd"), ValidArgsFunction: seed.complete(global),
		Long: `Restore an etcd of a stopped landscape from its newest backup that is undamaged. The data that are there are not removed, but
set aside. What was written after the backup is lost.`,
		Example: `  gardener etcd restore etcd-garden --yes
  gardener etcd restore etcd-seed --seed two --yes`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			l, stored, err := seed.load(global, args)
			if err != nil {
				return err
			}
			locks, err := hold(l, stored)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, locks.release()) }()
			found, err := stored.snapshots(cmd.Context(), args)
			if err != nil {
				return unreadable(err)
			}
			if len(found) == 0 {
				return stored.noSnapshots(args[0])
			}
			last := found[len(found)-1].Created.Local().Format(time.DateTime)
			if err := confirm(cmd, yes, fmt.Sprintf("%s goes back to %s, and loses what was written later", args[0], last)); err != nil {
				return err
			}
			made, err := stored.restore(cmd, args[0])
			if err != nil {
				return err
			}
			if output != "text" {
				return printAs(cmd.OutOrStdout(), output, made, nil)
			}
			made.tell(cmd, l.display)
			return nil
		},
	}
	seed.add(cmd, global)
	addOutputs(cmd, &output, "text", "json", "yaml")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// locks keep a landscape, and a further seed of it, from starting.
type locks []*daemon.Lock

// hold takes the locks of the landscape and of the state directory that is changed, which may be the same.
func hold(l *landscape, stored storedEtcds) (locks, error) {
	var held locks
	for _, file := range slices.Compact([]string{l.paths.Lock(), stored.paths.Lock()}) {
		lock, err := daemon.Acquire(file)
		if err != nil {
			return nil, errors.Join(explainStart(l, err), held.release())
		}
		held = append(held, lock)
	}
	return held, nil
}

func (l locks) release() error {
	var errs []error
	for _, lock := range l {
		errs = append(errs, lock.Release())
	}
	return errors.Join(errs...)
}

func (e storedEtcds) noSnapshots(name string) error {
	return &exitError{code: codeNotFound, err: fmt.Errorf("%s has no backups in %s", name, e.paths.Snapshots()), hint: "put that directory, or the data of the etcd, back from a backup of the state directory"}
}

// restoredEtcd is how a restoration is printed as JSON or YAML.
type restoredEtcd struct {
	Etcd     string    `json:"etcd"`
	Revision int64     `json:"revision"` // the last one of the backup
	Created  time.Time `json:"created"`  // when the newest snapshot was taken
	Deltas   int       `json:"deltas"`
	// Refused are the reasons why damaged snapshots were not used, by their names.
	Refused map[string]string `json:"refused,omitempty"`
	// Former is the directory of the data that were there before.
	Former string `json:"former,omitempty"`
}

// restore restores one etcd.
func (e storedEtcds) restore(cmd *cobra.Command, name string) (restoredEtcd, error) {
	result, err := snapshots.Restoration{
		Paths: e.paths, Etcd: servers.StoredEtcd(e.paths, e.identity.ID, name), Cluster: e.clusters[name], Now: time.Now(), Log: logr.Discard(),
	}.Run(cmd.Context())
	if errors.Is(err, snapshots.ErrNone) {
		return restoredEtcd{}, e.noSnapshots(name)
	}
	if err != nil {
		return restoredEtcd{}, cured(fmt.Errorf("restore %s: %w", name, err), "look at the room on the disk; nothing was changed")
	}
	made := restoredEtcd{Etcd: name, Revision: result.Revision, Created: result.From.Latest().Created, Deltas: len(result.From.Deltas), Refused: map[string]string{}, Former: result.Former}
	for key, reason := range result.Refused {
		made.Refused[key] = reason.Error()
	}
	return made, nil
}

// tell says what was done. What was not used, and where the former data are, is told to the quiet as well.
func (r restoredEtcd) tell(cmd *cobra.Command, shown *display) {
	for _, key := range slices.Sorted(maps.Keys(r.Refused)) {
		shown.warn(cmd.ErrOrStderr(), fmt.Sprintf("%s was not used: %s", key, r.Refused[key]))
	}
	to := fmt.Sprintf("restored to %s (revision %d, deltas applied: %d)", r.Created.Local().Format(time.DateTime), r.Revision, r.Deltas)
	shown.tell(cmd.OutOrStdout(), event{Object: "etcd " + r.Etcd, State: "restored", Message: to}, r.Etcd+" is "+to+"\n")
	if r.Former != "" {
		shown.mention(cmd.ErrOrStderr(), event{Object: "etcd " + r.Etcd, State: "former data kept", Message: r.Former}, fmt.Sprintf("the former data of %s are in %s", r.Etcd, r.Former))
	}
}
