package main

import (
	"fmt"
	"os"
	"runtime"

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

// init keeps the first thread of an agent for main: the agent inside is killed with the thread that has started it.
func init() {
	if len(os.Args) > 1 && os.Args[1] == "agent" {
		runtime.LockOSThread()
	}
}

// served runs what is no command of runsc.
func served(args []string) (is bool, err error) {
	switch {
	case len(args) == 5 && args[1] == "agent":
		return true, agent.Run(args[2], args[3], args[4])
	case len(args) == 3 && args[1] == "inside":
		return true, agent.Inside(args[2])
	case len(args) == 2 && args[1] == "spawner":
		return true, agent.Spawn()
	}
	return false, nil
}

func main() {
	if is, err := served(os.Args); is {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
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
