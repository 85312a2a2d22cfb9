package main

import (
	"fmt"
	"os"

	"gvisor.dev/gvisor/runsc/cli"
	"gvisor.dev/gvisor/runsc/cmd"
	"gvisor.dev/gvisor/runsc/cmd/sentry/sentrycmd"
	"gvisor.dev/gvisor/runsc/cmd/util"

	"github.com/gardener-up/gardener-up/embedded/sandbox/agent"
)

// Groups of commands in runsc's help.
const (
	containers = "containers"
	internal   = "internal use only"
)

// servers are the commands that are not runsc's.
var servers = map[string]func() error{"agent": agent.Run, "spawner": agent.Spawn}

func main() {
	if len(os.Args) == 2 {
		if serve := servers[os.Args[1]]; serve != nil {
			if err := serve(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	cli.Run(nil, map[util.SubCommand]string{
		new(cmd.Create): containers,
		new(cmd.Start):  containers,
		new(cmd.State):  containers,
		new(cmd.List):   containers,
		new(cmd.Exec):   containers,
		new(cmd.PS):     containers,
		new(cmd.Events): containers,
		new(cmd.Kill):   containers,
		new(cmd.Wait):   containers,
		new(cmd.Delete): containers,

		new(sentrycmd.Boot):   internal,
		new(cmd.Gofer):        internal,
		new(sentrycmd.Umount): internal,
	}, nil)
}
