package nodeinit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-logr/logr"
)

// sysctlDir holds the desired settings, procDir the kernel's settings. Tests use other directories.
const (
	sysctlDir = "/etc/sysctl.d"
	procDir   = "/proc/sys"
)

// own are the prefixes of the settings that a container has for itself. All other settings belong to the host.
var own = []string{"net.", "kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue."}

// applySettings applies the kernel settings in dir that the container has for itself. It skips and logs the host's
// settings, and logs settings that the kernel refuses. Neither stops a machine from starting.
func applySettings(dir, proc string, log logr.Logger) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.conf"))
	if err != nil {
		return fmt.Errorf("list kernel settings: %w", err)
	}
	slices.Sort(files)
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read kernel settings: %w", err)
		}
		for key, value := range settings(string(data)) {
			if !slices.ContainsFunc(own, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
				log.Info("Skipped a kernel setting that belongs to the host", "key", key, "value", value)
				continue
			}
			target := filepath.Join(proc, filepath.Clean("/"+strings.ReplaceAll(key, ".", "/")))
			if err := os.WriteFile(target, []byte(value), 0o644); err != nil {
				log.Info("Could not set a kernel setting", "key", key, "value", value, "reason", err.Error())
			}
		}
	}
	return nil
}

// settings reads the lines "key = value" of a file. It ignores a minus before the key, which means that errors do
// not matter.
func settings(content string) map[string]string {
	out := map[string]string{}
	for _, line := range strings.Split(content, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if key, value, ok := strings.Cut(strings.TrimPrefix(line, "-"), "="); ok {
			out[strings.TrimSpace(strings.ReplaceAll(key, "/", "."))] = strings.TrimSpace(value)
		}
	}
	return out
}
