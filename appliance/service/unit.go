// Package service makes units of systemd that start a landscape with the machine, or with the session of its user. It knows nothing about what a
// landscape is.
package service

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// made is the first line of our units. Files without it are not ours.
const made = `# Made by "gardener service install", which replaces it, and removed by "gardener service uninstall".`

// Unit describes the unit of one landscape.
type Unit struct {
	Landscape string
	// System says that the system starts it, not the manager of the user.
	System bool
	// Exec is the program with its arguments.
	Exec []string
	// After are other units that start before.
	After []string
}

// Name is that of the unit.
func (u Unit) Name() string { return "gardener-" + u.Landscape + ".service" }

// File is where the unit is.
func (u Unit) File() (string, error) {
	if u.System {
		return filepath.Join("/etc/systemd/system", u.Name()), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the directory for units of the user: %w", err)
	}
	return filepath.Join(dir, "systemd", "user", u.Name()), nil
}

// Text is the content of the file. The process tells when the landscape is ready, and ends at once, with success, if the landscape is paused. Its
// pods have control groups of their own below that of the unit. A mistake in the configuration, a landscape that runs already and
// a state directory that cannot be used do not go away by themselves, so it is not started again then.
func (u Unit) Text() string {
	target := "default.target"
	if u.System {
		target = "multi-user.target"
	}
	var words []string
	for _, word := range u.Exec {
		words = append(words, quoted(word))
	}
	after := strings.Join(append([]string{"network.target"}, u.After...), " ")
	return made + fmt.Sprintf(`
[Unit]
Description=Gardener landscape %s
After=%s

[Service]
Type=notify
ExecStart=%s
TimeoutStartSec=20min
TimeoutStopSec=2min
KillMode=mixed
Restart=on-failure
RestartSec=10
RestartPreventExitStatus=2 4 7
Delegate=yes
LimitNOFILE=524288

[Install]
WantedBy=%s
`, u.Landscape, after, strings.Join(words, " "), target)
}

// quoted is a word of a command line in a unit: systemd replaces specifiers and variables in it.
func quoted(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$", "\n", `\n`).Replace(word) + `"`
}
