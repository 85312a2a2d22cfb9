// Package paths knows where every file of a landscape lies. All locations are absolute and below one state
// directory per landscape; nothing else in the appliance builds a path of its own.
package paths

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// Paths are the locations below the state directory of one landscape.
type Paths struct{ root string }

// DefaultRoot is $XDG_STATE_HOME/gardener/<landscape>, or ~/.local/state/gardener/<landscape> where the variable is unset.
func DefaultRoot(landscape string) (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("neither XDG_STATE_HOME nor HOME is set: name the state directory with --state-dir")
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "gardener", landscape), nil
}

// New returns the paths below root, which is made absolute.
func New(root string) (Paths, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return Paths{}, fmt.Errorf("resolve state directory %q: %w", root, err)
	}
	return Paths{root: abs}, nil
}

// Root is the state directory itself (0700).
func (p Paths) Root() string { return p.root }

// Store is the buntdb file that holds what must survive the loss of etcd.
func (p Paths) Store() string { return p.join("appliance.db") }

// LastGood is a copy of the store, made after each change of it.
func (p Paths) LastGood() string { return p.join("last-good", "appliance.db") }

// Upgrade is a copy of that name that was made before an upgrade.
func (p Paths) Upgrade(name string) string { return p.join("upgrades", name) }

// Record is the file beside the data of etcd that says what the store must contain.
func (p Paths) Record() string { return p.join("etcd", "record.json") }

// Restoring exists while a backup of a whole landscape is being restored to the directory.
func Restoring(p Paths) string { return p.join("restoring.json") }

// Paused exists while the landscape is paused.
func Paused(p Paths) string { return p.join("paused.json") }

// Lock is held by the running daemon.
func (p Paths) Lock() string { return p.join("lock") }

// Run is where the running daemon has its sockets, and leaves the reason of its end.
func (p Paths) Run() Run { return Run{p.join("run")} }

// Logs are the daemon's log files.
func (p Paths) Logs() Logs { return Logs{p.join("logs")} }

// PKI holds certificate authorities, certificates and keys.
func (p Paths) PKI() string { return p.join("pki") }

// Etcd is the data directory of the etcd member of that name.
func (p Paths) Etcd(name string) string { return p.join("etcd", name) }

// Snapshots is the directory of the backups of all etcds of the landscape, a directory for each name.
func (p Paths) Snapshots() string { return p.join("snapshots") }

// Kubeconfigs holds the kubeconfig files for users and for the landscape's own parts.
func (p Paths) Kubeconfigs() string { return p.join("kubeconfigs") }

// Kubeconfig is the file of the user or part of that name.
func (p Paths) Kubeconfig(name string) string { return p.join("kubeconfigs", name+".yaml") }

// MergedKubeconfigs notes the files of the user into which kubeconfigs were merged.
func (p Paths) MergedKubeconfigs() string { return p.join("kubeconfigs", "merged.json") }

// Settings is a configuration file that the landscape writes for one of its servers.
func (p Paths) Settings(name string) string { return p.join("settings", name) }

// Node is the root directory of the embedded node of that name.
func (p Paths) Node(name string) string { return p.join("nodes", name) }

// Seed is the directory of a further seed. It has the layout of a state directory.
func (p Paths) Seed(name string) Paths { return Paths{root: p.join("seeds", name)} }

// Zone holds the DNS records that the local provider has made.
func (p Paths) Zone() string { return p.join("dns") }

// Backups is where the local provider keeps the backup buckets of a seed. Each seed has a directory of its own, so that no seed
// can name the buckets of another one.
func (p Paths) Backups(seed string) string { return p.join("backups", seed) }

// Volumes is where the local provider keeps persistent volumes.
func (p Paths) Volumes() string { return p.join("volumes") }

// Binaries holds a directory for each version of the binary that pods may run.
func (p Paths) Binaries() string { return p.join("binaries") }

// Images holds archives of container images.
func (p Paths) Images() string { return p.join("images") }

func (p Paths) join(elements ...string) string {
	return filepath.Join(append([]string{p.root}, elements...)...)
}

// Create makes the state directory and the folders that no other code makes. Only the owner can read them.
func (p Paths) Create() error {
	for _, dir := range []string{
		p.root, p.Run().dir, p.Logs().dir, p.PKI(), p.Etcd(""), p.Kubeconfigs(),
		p.Node(""), p.Zone(), p.Backups(""), p.Volumes(),
	} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("create state directory: %w", err)
		}
	}
	return nil
}

// Word is a path for people who paste it to a shell: quoted if it needs that.
func Word(path string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("/._-+,:@%", r) || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	if path != "" && !strings.ContainsFunc(path, func(r rune) bool { return !plain(r) }) {
		return path
	}
	return Quoted(path)
}

// Quoted is a path as one word for a shell.
func Quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
