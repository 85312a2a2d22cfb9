package etcd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
)

// Command is etcd itself as a component. It takes etcd's own flags and ETCD_ variables unchanged, and stops cleanly
// on SIGTERM and SIGINT.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:                "etcd [etcd's own flags]",
		Short:              "Run etcd",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
				return fmt.Errorf("etcd takes flags only, got %q", args[0])
			}
			etcdmain.Main(append([]string{"etcd"}, args...)) // ends the process itself
			return nil
		},
	}
}
