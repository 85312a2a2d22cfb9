package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
)

func newEtcd(global *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "etcd", GroupID: "parts", Short: "List and restore the backups of the landscape's own etcds",
		Long: `List and restore the backups of the landscape's own etcds, which hold the objects of the garden and of embedded seeds.
A running landscape makes them in its state directory. The etcds of shoots have their own: see "gardener shoot snapshots".`,
	}
	asGroup(cmd)
	cmd.AddCommand(newEtcdSnapshots(global), newEtcdRestore(global))
	return cmd
}

// storedEtcds are the etcds that a state directory knows.
type storedEtcds struct {
	paths    paths.Paths
	identity store.Identity
	clusters map[string]string // IDs of the clusters by the names of the etcds
}

// seedFlag is the flag that names a further seed.
type seedFlag struct{ name string }

func (f *seedFlag) add(cmd *cobra.Command, global *globalFlags) {
	cmd.Flags().StringVar(&f.name, "seed", "", `name of a further embedded seed, whose etcd is "etcd-seed"`)
	_ = cmd.RegisterFlagCompletionFunc("seed", completeSeeds(global, sourceEmbedded))
}

// stored reads which etcds the landscape has, or a further seed of it. The landscape need not run.
func (f seedFlag) stored(l *landscape) (storedEtcds, error) {
	p := l.paths
	if f.name != "" {
		p = p.Seed(f.name)
	}
	s, err := store.Read(p.Store())
	if errors.Is(err, fs.ErrNotExist) {
		return storedEtcds{}, f.notFound(l)
	}
	if err != nil {
		return storedEtcds{}, unreadable(err)
	}
	defer s.Close()
	identity, known, err := s.Identity()
	if err != nil {
		return storedEtcds{}, unreadable(err)
	}
	ledger, _, err := s.Ledger()
	if err != nil {
		return storedEtcds{}, unreadable(err)
	}
	if !known {
		return storedEtcds{}, f.notFound(l)
	}
	return storedEtcds{p, identity, ledger.Etcds}, nil
}

func (f seedFlag) notFound(l *landscape) error {
	if f.name != "" {
		return &exitError{code: codeNotFound, err: fmt.Errorf("landscape %q has no embedded seed %q of its own", l.Name, f.name), hint: `see "gardener seed list"; the etcd of the first seed needs no --seed`}
	}
	if _, err := os.Stat(l.paths.Root()); err == nil {
		return &exitError{code: codeState, err: fmt.Errorf("%s does not say which landscape it holds", l.paths.Root()), hint: `"gardener up" says what is lost, and how to get it back`}
	}
	return &exitError{code: codeNotFound, err: fmt.Errorf("there is no landscape %q", l.Name), hint: `see "gardener landscape list"; another one is named with --landscape`}
}

// load reads the landscape and its etcds, or those of a further seed. args may name one of them.
func (f seedFlag) load(global *globalFlags, args []string) (*landscape, storedEtcds, error) {
	l, err := global.load(nil)
	if err != nil {
		return nil, storedEtcds{}, err
	}
	found, err := f.stored(l)
	if err == nil && len(args) > 0 {
		err = found.check(args[0])
	}
	return l, found, err
}

// names of the etcds, sorted.
func (e storedEtcds) names() []string { return slices.Sorted(maps.Keys(e.clusters)) }

// check refuses a name that no etcd has.
func (e storedEtcds) check(name string) error {
	if slices.Contains(e.names(), name) {
		return nil
	}
	return &exitError{code: codeNotFound, err: fmt.Errorf("there is no etcd %q", name), hint: fmt.Sprintf("the etcds are %s; those of shoots are restored by themselves", strings.Join(e.names(), ", "))}
}

// complete completes names of etcds.
func (f *seedFlag) complete(global *globalFlags) cobra.CompletionFunc {
	return completeFirst(global, func(_ context.Context, l *landscape) ([]string, error) {
		found, err := f.stored(l)
		return found.names(), err
	})
}
