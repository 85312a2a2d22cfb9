package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/service"
)

// serviceFlags choose a unit.
type serviceFlags struct {
	global *globalFlags
	system bool
}

func newService(global *globalFlags) *cobra.Command {
	flags := &serviceFlags{global: global}
	cmd := asGroup(&cobra.Command{
		Use: "service", GroupID: "landscape", Short: "Start the landscape with this machine, by systemd",
		Long: `Start the landscape with this machine, by systemd. The unit runs "gardener run --stay-paused": a landscape that is paused stays paused.`,
	})
	cmd.PersistentFlags().BoolVar(&flags.system, "system", false, "a unit of the system, which needs root, instead of one of this user")
	cmd.AddCommand(newServiceInstall(flags), newServiceUninstall(flags), newServiceStatus(flags))
	return cmd
}

func newServiceInstall(flags *serviceFlags) *cobra.Command {
	var now bool
	cmd := &cobra.Command{
		Use: "install", Short: "Make a unit that starts the landscape with this machine", Args: needsNone,
		Long: `Make a unit of systemd that starts the landscape with this machine, or replace it. A unit of a user starts with the first session of that user;
"loginctl enable-linger" starts it with the machine. The unit names this binary, the state directory and the configuration file.`,
		Example: `  gardener service install
  gardener service install --now`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, unit, err := flags.unit()
			if err != nil {
				return err
			}
			changed, err := service.Manager{Run: service.Systemctl}.Install(cmd.Context(), unit, now)
			if err != nil {
				return explainService(err)
			}
			state, text := "installed", "unit %s is installed and starts landscape %q\n"
			if !changed {
				state, text = "installed already", "unit %s was installed already and starts landscape %q\n"
			}
			l.display.tell(cmd.OutOrStdout(), event{Object: "unit " + unit.Name(), State: state}, fmt.Sprintf(text, unit.Name(), l.Name))
			return nil
		},
	}
	flags.global.addFile(cmd)
	cmd.Flags().BoolVar(&now, "now", false, "start it, too; the landscape must not run yet")
	return cmd
}

func newServiceUninstall(flags *serviceFlags) *cobra.Command {
	return &cobra.Command{
		Use: "uninstall", Short: "Remove the unit of the landscape", Args: needsNone,
		Long:    `Remove the unit of the landscape. If the unit has started the landscape, it is stopped. Its state stays.`,
		Example: `  gardener service uninstall`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, unit, err := flags.unit()
			if err != nil {
				return err
			}
			if err := (service.Manager{Run: service.Systemctl}).Uninstall(cmd.Context(), unit); err != nil {
				return explainService(err)
			}
			l.display.tell(cmd.OutOrStdout(), event{Object: "unit " + unit.Name(), State: "removed"}, fmt.Sprintf("unit %s is removed\n", unit.Name()))
			return nil
		},
	}
}

func newServiceStatus(flags *serviceFlags) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "status", Short: "Show the unit of the landscape", Args: needsNone,
		Example: `  gardener service status
  gardener service status -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, unit, err := flags.unit()
			if err != nil {
				return err
			}
			s, err := service.Manager{Run: service.Systemctl}.Status(cmd.Context(), unit)
			if err != nil {
				return explainService(err)
			}
			return flags.global.display.printAs(cmd.OutOrStdout(), uncut(output), s, func() [][]string {
				message := ""
				if s.Old {
					message = `it names another binary or other settings; "gardener service install" replaces it`
				}
				return [][]string{{"UNIT", "ENABLED", "ACTIVE", "FILE", "MESSAGE"}, {s.Unit, s.Enabled, s.Active, s.File, message}}
			})
		},
	}
	addOutput(cmd, &output)
	return cmd
}

// unit is that of the landscape that the flags name.
func (f *serviceFlags) unit() (*landscape, service.Unit, error) {
	l, err := f.global.load(nil)
	if err != nil {
		return nil, service.Unit{}, err
	}
	unit, err := l.unit(f.global.file, f.system)
	return l, unit, err
}

// unit is the unit that starts the landscape. Without a file, that is with the configuration of the last start.
func (l *landscape) unit(file string, system bool) (service.Unit, error) {
	executable, err := os.Executable() // systemd needs the name of the file
	if err != nil {
		return service.Unit{}, err
	}
	unit := service.Unit{Landscape: l.Name, System: system, Exec: []string{executable, "run", "--stay-paused", "--landscape=" + l.Name, "--state-dir=" + l.paths.Root()}}
	if file != "" {
		if file, err = filepath.Abs(file); err != nil {
			return unit, err
		}
		unit.Exec = append(unit.Exec, "--landscape-config="+file)
	}
	if l.Seed.Kind() {
		unit.After = []string{"docker.service"}
	}
	return unit, nil
}

// explainService gives an error of systemd its exit code and hint.
func explainService(err error) error {
	switch {
	case errors.Is(err, service.ErrNone):
		return &exitError{code: codeNotFound, err: err, hint: `"gardener service install" makes it; --system looks at those of the system`}
	case errors.Is(err, service.ErrForeign):
		return &exitError{code: codeFailure, err: err, hint: "nothing was changed: look at the file, and remove it if nobody needs it"}
	case errors.Is(err, service.ErrNoManager):
		return &exitError{code: codeFailure, err: err, hint: `nothing was changed. A unit of a user needs a session of that user; --system needs root. Elsewhere let the machine start "gardener up"`}
	case errors.Is(err, os.ErrPermission):
		return &exitError{code: codeFailure, err: err, hint: "units of the system need root; without --system the unit is one of this user"}
	}
	return cured(err, "see what the unit says with: journalctl --user -e, or journalctl -e")
}

// warnService says that a unit would make a landscape anew that was removed.
func (l *landscape) warnService(ctx context.Context) string {
	for _, system := range []bool{false, true} {
		unit, err := l.unit("", system)
		if err == nil && ctx.Err() == nil && service.Installed(unit) {
			return fmt.Sprintf("unit %s would start a new landscape %q; remove it with \"gardener service uninstall\"", unit.Name(), l.Name)
		}
	}
	return ""
}
