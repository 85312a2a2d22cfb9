package etcd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/klog/v2"

	"github.com/gardener-up/gardener-up/embedded/etcd/hangup"
	"github.com/gardener-up/gardener-up/embedded/etcd/ownflags"
	"github.com/gardener-up/gardener-up/embedded/etcd/unborn"
)

// WatchdogFlag makes the component etcd keep room in its member, and tell API servers about its disk. etcd itself does not know the flag.
const WatchdogFlag = "--watchdog"

// Command is etcd itself as a component. It takes etcd's own flags and ETCD_ variables unchanged, and stops cleanly
// on SIGTERM and SIGINT.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "etcd [" + WatchdogFlag + "] [etcd's own flags]",
		Short: "Run etcd",
		Long: `Run etcd. With ` + WatchdogFlag + `, the database is compacted and defragmented when it fills, and the alarm NOSPACE is disarmed
when there is room again. API servers are told when the disk of the data is short of room, by keys that no API server stores. The watchdog is a client
of the etcd: it uses its --cert-file, which has to be valid for clients, too.

When it is told to end, etcd ends the connections of its clients half a second later, and does not wait for those that read streams.`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
				return fmt.Errorf("etcd takes flags only, got %q", args[0])
			}
			own := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == WatchdogFlag })
			if err := discardUnborn(own); err != nil {
				return err
			}
			hangup.OnInterrupt(own, klog.Background())
			if len(own) < len(args) {
				go Tend(own, klog.Background().WithName("watchdog"))
			}
			etcdmain.Main(append([]string{"etcd"}, own...)) // ends the process itself
			return nil
		},
	}
}

// discardUnborn cures the data directory that the flags name, if the member in it was never part of its cluster.
func discardUnborn(args []string) error {
	flags := ownflags.Flags(args)
	discarded, err := unborn.Discard(flags.DataDir())
	if discarded {
		klog.Background().Info("The member was killed before it was part of its cluster, and begins anew", "member", flags.Name())
	}
	return err
}
