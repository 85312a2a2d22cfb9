package supportbundle

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/gardener-up/gardener-up/appliance/paths"
)

// facts are files that describe the machine. None of them has anything of a user.
var facts = []string{"/proc/version", "/etc/os-release", "/proc/meminfo", "/proc/loadavg", "/proc/self/limits", "/proc/self/cgroup", "/proc/pressure/cpu", "/proc/pressure/memory", "/proc/pressure/io"}

// variables of the environment change what the binary does. Others are not read.
var variables = []string{"GARDENER_", "GO", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "DOCKER_HOST", "KIND_", "XDG_", "TMPDIR", "LANG"}

// Machine describes the machine and the environment of the command.
func Machine(p paths.Paths) Section {
	return Section{Name: "machine.txt", Collect: func(_ context.Context, w io.Writer) error {
		fmt.Fprintf(w, "# process\nuser %d, processors %d, %s/%s\n", os.Getuid(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
		if room := (syscall.Statfs_t{}); syscall.Statfs(p.Root(), &room) == nil {
			fmt.Fprintf(w, "# disk of %s\nfree %d of %d blocks of %d bytes, free %d of %d files\n", p.Root(), room.Bavail, room.Blocks, room.Bsize, room.Ffree, room.Files)
		}
		for _, file := range facts {
			if text, err := os.ReadFile(file); err == nil { // not every kernel has all
				fmt.Fprintf(w, "# %s\n%s\n", file, strings.TrimSpace(string(text)))
			}
		}
		fmt.Fprintln(w, "# environment")
		for _, variable := range os.Environ() {
			if slices.ContainsFunc(variables, func(prefix string) bool { return strings.HasPrefix(variable, prefix) }) {
				fmt.Fprintln(w, variable)
			}
		}
		return nil
	}}
}
