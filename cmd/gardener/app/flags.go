package app

import (
	"cmp"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/neighbours"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/trial"
)

// globalFlags choose the landscape. Every verb has them.
type globalFlags struct {
	file, name, stateDir string
	display              *display
	flags                *pflag.FlagSet // those of the command line; nil if a verb chooses the landscape
}

func (g *globalFlags) add(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	g.flags, g.display.chosen = f, g.chosen
	f.StringVar(&g.file, "landscape-config", "", "configuration file of the landscape ($GARDENER_CONFIG)")
	f.StringVar(&g.name, "landscape", "", `name of the landscape (default "local", $GARDENER_LANDSCAPE)`)
	f.StringVar(&g.stateDir, "state-dir", "", "state directory (default $XDG_STATE_HOME/gardener/<landscape>, $GARDENER_STATE_DIR)")
	g.file, g.name, g.stateDir = os.Getenv("GARDENER_CONFIG"), os.Getenv("GARDENER_LANDSCAPE"), os.Getenv("GARDENER_STATE_DIR") // unless a flag says otherwise
	_ = cmd.MarkPersistentFlagFilename("landscape-config", "yaml", "yml")
	_ = cmd.MarkPersistentFlagDirname("state-dir")
	_ = cmd.RegisterFlagCompletionFunc("landscape", completeLandscapes)
}

// addFile adds -f and --config to a verb that reads the configuration to start by it. Both are --landscape-config, which every verb has.
func (g *globalFlags) addFile(cmd *cobra.Command) {
	cmd.Flags().VarP(sameFlag{g.flags, "landscape-config"}, "config", "f", "configuration file of the landscape, as --landscape-config")
	_ = cmd.MarkFlagFilename("config", "yaml", "yml")
}

// sameFlag sets another flag.
type sameFlag struct {
	flags *pflag.FlagSet
	name  string
}

// Set implements pflag.Value.
func (s sameFlag) Set(value string) error { return s.flags.Set(s.name, value) }

// String implements pflag.Value. The other flag has the default.
func (s sameFlag) String() string { return "" }

// Type implements pflag.Value.
func (s sameFlag) Type() string { return "string" }

// landscape is a loaded configuration and the locations of its files.
type landscape struct {
	*config.Landscape
	paths   paths.Paths
	display *display
	held    io.Closer // ranges; nil for none
	// chosen are the flags by which a command finds this landscape again.
	chosen string
	// decision is that of preflight, if it has run.
	decision trial.Decision
}

// load reads the configuration. A verb passes override to apply flags of its own.
func (g *globalFlags) load(override func(*config.Landscape)) (*landscape, error) {
	if g.name != "" {
		if err := checkName("landscape", g.name); err != nil {
			return nil, err
		}
	}
	cfg, err := config.Load(g.file, func(l *config.Landscape) {
		if g.name != "" {
			l.Name = g.name
		}
		if g.stateDir != "" {
			l.StateDir = g.stateDir
		}
		if l.Name == "" {
			l.Name = ownerOf(l.StateDir)
		}
		if override != nil {
			override(l)
		}
	})
	if err != nil {
		return nil, usageError(fault.New(fault.Config, err), g.hintOfFile(err))
	}
	if cfg.StateDir == "" {
		if cfg.StateDir, err = paths.DefaultRoot(cfg.Name); err != nil {
			return nil, usageError(err, nameStateDir)
		}
	}
	p, err := paths.New(cfg.StateDir)
	if err != nil {
		return nil, usageError(err, nameStateDir)
	}
	cfg.StateDir = p.Root()
	return &landscape{Landscape: cfg, paths: p, display: g.display, chosen: g.chosen()}, nil
}

// hintOfFile is the hint for a configuration that could not be loaded.
func (g *globalFlags) hintOfFile(err error) string {
	const template = `"gardener config template" prints all keys with their defaults`
	switch {
	case !errors.Is(err, os.ErrNotExist):
		return template
	case g.flags != nil && g.flags.Changed("landscape-config"):
		return "name another file, or leave the flag out: a landscape needs no file; " + template
	}
	return "set GARDENER_CONFIG to another file, or unset it: a landscape needs no file; " + template
}

// ownerOf is the name of the landscape that a state directory belongs to, so that nobody has to choose both; empty if it belongs to none.
func ownerOf(stateDir string) string {
	if stateDir == "" {
		return ""
	}
	p, err := paths.New(stateDir)
	if err != nil {
		return ""
	}
	id, _ := state.StoredIdentity(p) // what is wrong with a directory is told by what uses it
	return id.Name
}

// command is a command for this landscape that a hint names.
func (l *landscape) command(verb string) string { return inLandscape("gardener "+verb, l.chosen) }

// loadAgain is load for a landscape that may already exist. Settings that were only given at its first start are
// taken from its state directory. A new landscape gets a port and ranges that no other landscape has, and holds the ranges
// until it is released.
func (g *globalFlags) loadAgain(override func(*config.Landscape)) (*landscape, error) {
	var given neighbours.Choice
	provider, nodes := "", int32(0)
	l, err := g.load(func(l *config.Landscape) {
		override(l)
		provider, nodes = l.Seed.Provider, l.Seed.Nodes
		given = neighbours.Choice{PodCIDR: l.Seed.PodCIDR, ServiceCIDR: l.Seed.ServiceCIDR, Port: l.FrontDoor.Port}
	})
	if err != nil {
		return nil, err
	}
	mine, _ := neighbours.Read(l.paths, servers.FrontDoor)
	if provider == "" && mine.Provider != "" {
		l.Seed.Provider = mine.Provider
	}
	others, err := neighbours.All(servers.FrontDoor)
	if err != nil {
		return nil, unreadable(err)
	}
	chosen, held, err := neighbours.ChooseAndHold(given, l.Landscape, mine, others)
	if err != nil {
		return nil, &exitError{code: codeInUse, err: fault.New(fault.Ranges, err), hint: `see which landscapes there are with "gardener landscape list -o wide"`}
	}
	again, err := g.load(func(again *config.Landscape) {
		override(again)
		again.Seed.Provider, again.Seed.Nodes = l.Seed.Provider, nodes
		if again.Seed.Kind() {
			again.Seed.Nodes = cmp.Or(nodes, mine.Nodes())
		}
		again.Seed.PodCIDR, again.Seed.ServiceCIDR, again.FrontDoor.Port = chosen.PodCIDR, chosen.ServiceCIDR, chosen.Port
	})
	if err == nil {
		again.held = held
	} else if held != nil {
		_ = held.Close()
	}
	return again, err
}

// release lets others choose the ranges that this process holds.
func (l *landscape) release() {
	if l.held != nil {
		_ = l.held.Close()
	}
}

// running returns a client of the daemon, or an error if no daemon is running.
func (l *landscape) running() (*daemon.Client, error) {
	pid, err := daemon.Holder(l.paths.Lock())
	if err != nil {
		return nil, unreadable(err)
	}
	if pid == 0 {
		return nil, l.notRunning()
	}
	return daemon.NewClient(l.paths.Run().Socket()), nil
}
