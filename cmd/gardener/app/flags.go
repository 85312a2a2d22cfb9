package app

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
)

// globalFlags choose the landscape. Every verb has them.
type globalFlags struct {
	file, name, stateDir string
}

func (g *globalFlags) add(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.StringVar(&g.file, "landscape-config", os.Getenv("GARDENER_CONFIG"), "configuration file of the landscape ($GARDENER_CONFIG)")
	f.StringVar(&g.name, "landscape", os.Getenv("GARDENER_LANDSCAPE"), `name of the landscape (default "local", $GARDENER_LANDSCAPE)`)
	f.StringVar(&g.stateDir, "state-dir", os.Getenv("GARDENER_STATE_DIR"), "state directory (default $XDG_STATE_HOME/gardener/<landscape>, $GARDENER_STATE_DIR)")
	_ = cmd.MarkPersistentFlagFilename("landscape-config", "yaml", "yml")
	_ = cmd.MarkPersistentFlagDirname("state-dir")
}

// landscape is a loaded configuration and the locations of its files.
type landscape struct {
	*config.Landscape
	paths paths.Paths
}

// load reads the configuration. A verb passes override to apply flags of its own.
func (g *globalFlags) load(override func(*config.Landscape)) (*landscape, error) {
	cfg, err := config.Load(g.file, func(l *config.Landscape) {
		if g.name != "" {
			l.Name = g.name
		}
		if g.stateDir != "" {
			l.StateDir = g.stateDir
		}
		if override != nil {
			override(l)
		}
	})
	if err != nil {
		return nil, usageError(err, "docs/configuration.md lists all keys")
	}
	if cfg.StateDir == "" {
		if cfg.StateDir, err = paths.DefaultRoot(cfg.Name); err != nil {
			return nil, usageError(err, "")
		}
	}
	p, err := paths.New(cfg.StateDir)
	if err != nil {
		return nil, usageError(err, "")
	}
	cfg.StateDir = p.Root()
	return &landscape{Landscape: cfg, paths: p}, nil
}

// loadAgain is load for a landscape that may already exist. Settings that were only given at its first start are
// taken from its saved configuration.
func (g *globalFlags) loadAgain(override func(*config.Landscape)) (*landscape, error) {
	provided := ""
	note := func(l *config.Landscape) {
		override(l)
		provided = l.Seed.Provider
	}
	l, err := g.load(note)
	if err != nil || provided != "" {
		return l, err
	}
	stored := state.StoredProvider(l.paths)
	if stored == "" || stored == l.Seed.Provider {
		return l, nil
	}
	return g.load(func(l *config.Landscape) {
		override(l)
		l.Seed.Provider = stored
	})
}

// running returns a client of the daemon, or an error if no daemon is running.
func (l *landscape) running() (*daemon.Client, error) {
	pid, err := daemon.Holder(l.paths.Lock())
	if err != nil {
		return nil, &exitError{code: codeState, err: err}
	}
	if pid == 0 {
		return nil, notRunning(l.Name, state.LastFailure(l.paths))
	}
	return daemon.NewClient(l.paths.Socket()), nil
}
