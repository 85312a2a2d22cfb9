package app

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manSection is that of programs.
const manSection = "1"

func newMan(global *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use: "man DIRECTORY", GroupID: "parts", Short: "Write a man page for each command", Args: needs("a directory"),
		Long: `Write a man page for each command into a directory, which is made if it does not exist. "man" finds the pages by itself in
~/.local/share/man/man1 if ~/.local/bin is in $PATH, and in DIRECTORY/man1 if $MANPATH names DIRECTORY. "man -l FILE" shows a page in any place.
The same binary always writes the same pages.`,
		Example: `  gardener man ~/.local/share/man/man1`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			if err := writeManPages(dir); err != nil {
				return fmt.Errorf("write man pages: %w", err)
			}
			global.display.tell(cmd.OutOrStdout(), event{Object: "man pages", State: "written", Message: dir},
				fmt.Sprintf("man pages are in %s; read the first with: man -l %s\n", dir, filepath.Join(dir, "gardener."+manSection)))
			return nil
		},
	}
}

func writeManPages(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	date := builtAt()
	header := &doc.GenManHeader{Section: manSection, Date: &date, Source: "gardener " + Version, Manual: "Gardener"}
	return doc.GenManTree(documented(), header, dir)
}

// builtAt is the time of the commit from which the binary was built, so that pages do not depend on when they are written.
func builtAt() time.Time {
	info, _ := debug.ReadBuildInfo()
	if info != nil {
		for _, setting := range info.Settings {
			if at, err := time.Parse(time.RFC3339, setting.Value); err == nil && setting.Key == "vcs.time" {
				return at
			}
		}
	}
	return time.Unix(0, 0).UTC()
}

// documented is the command line as pages show it: without verbs of other programs, which are kubectl and servers that have hundreds of
// flags.
func documented() *cobra.Command {
	root := newRoot(newDisplay())
	root.DisableAutoGenTag = true
	for _, cmd := range root.Commands() {
		if cmd.Name() == "component" || cmd.Name() == "completion" {
			for _, sub := range cmd.Commands() {
				sub.Hidden = true
			}
		}
	}
	return root
}
