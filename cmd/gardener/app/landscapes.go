package app

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/neighbours"
	"github.com/gardener-up/gardener-up/appliance/servers"
)

func newLandscapes(global *globalFlags) *cobra.Command {
	cmd := asGroup(&cobra.Command{
		Use: "landscape", Aliases: []string{"landscapes"}, GroupID: "landscape", Short: "List the landscapes of this user",
		Long: "List the landscapes of this user. All other commands use one of them: --landscape NAME or $GARDENER_LANDSCAPE chooses it.",
	})
	cmd.AddCommand(newLandscapeList(global))
	return cmd
}

func newLandscapeList(global *globalFlags) *cobra.Command {
	var output string
	var watch bool
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the landscapes of this user, whether they run or not", Args: needsNone,
		Long: `List the landscapes of this user, whether they run or not. Landscapes with a state directory in another place (--state-dir) are
listed only if the command names it.`,
		Example: `  gardener landscape list
  gardener landscape list -o wide
  gardener landscape list --watch`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if watch {
				tick, stop := every(followPeriod)
				defer stop()
				return followed[neighbours.Landscape]{
					output: output, display: global.display, name: func(l neighbours.Landscape) string { return l.Name },
					collect: func(context.Context) ([]neighbours.Landscape, error) { return findLandscapes(global) },
					rows:    func(found []neighbours.Landscape) [][]string { return landscapeRows(found, output) },
				}.follow(cmd.Context(), cmd.OutOrStdout(), tick)
			}
			found, err := findLandscapes(global)
			if err != nil {
				return err
			}
			if len(found) == 0 && (output == "table" || output == "wide") {
				global.display.none(cmd.ErrOrStderr(), "landscape", `no landscapes; start one with "gardener up"`)
				return nil
			}
			return global.display.printAs(cmd.OutOrStdout(), output, found, func() [][]string { return landscapeRows(found, output) })
		},
	}
	addOutput(cmd, &output, "wide", "name")
	addWatch(cmd, &watch)
	return cmd
}

// findLandscapes returns the landscapes in their usual place, and that which the flags name if it is elsewhere.
func findLandscapes(global *globalFlags) ([]neighbours.Landscape, error) {
	found, err := neighbours.All(servers.FrontDoor)
	if err != nil {
		return nil, unreadable(err)
	}
	l, err := global.load(nil)
	if err != nil {
		return nil, err
	}
	named, exists := neighbours.Read(l.paths, servers.FrontDoor)
	for _, other := range found {
		exists = exists && other.StateDir != named.StateDir
	}
	if exists {
		found = append(found, named)
	}
	return found, nil
}

func landscapeRows(found []neighbours.Landscape, output string) [][]string {
	var rows [][]string
	switch output {
	case "table":
		rows = [][]string{{"LANDSCAPE", "STATE", "PROVIDER", "FRONT DOOR", "MESSAGE"}}
	case "wide":
		rows = [][]string{{"LANDSCAPE", "STATE", "PROVIDER", "FRONT DOOR", "PODS", "SERVICES", "STATE DIRECTORY", "MESSAGE"}}
	}
	for _, l := range found {
		running, port := "stopped", ""
		if l.Process != 0 {
			running = "running"
		}
		if l.Paused != nil {
			running = "paused"
		}
		running = tinted(tintOfLandscape(l), running)
		if l.Port != 0 {
			port = fmt.Sprint(l.Port)
		}
		switch output {
		case "name":
			rows = append(rows, []string{l.Name})
		case "wide":
			rows = append(rows, []string{l.Name, running, l.Provider, port, l.PodCIDR, l.Services, l.StateDir, l.Problem})
		default:
			rows = append(rows, []string{l.Name, running, l.Provider, port, l.Problem})
		}
	}
	return rows
}

// everyLandscape calls do for each landscape that list prints. It goes on after an error and returns the first.
func everyLandscape(global *globalFlags, out io.Writer, do func(*landscape) error) error {
	found, err := findLandscapes(global)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		global.display.tell(out, event{Object: "landscape", State: "none"}, "no landscapes\n")
	}
	var failed error
	for _, one := range found {
		of := only(one.Name, one.StateDir, global.display)
		l, err := of.load(nil)
		if err == nil {
			err = do(l)
		}
		if err != nil && failed == nil {
			failed = &elsewhere{err, of.chosen()}
		} else if err != nil {
			report(err, of.display, out)
		}
	}
	return failed
}
