package nodeinit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-logr/logr"
)

// sysctlDir holds the settings wanted, procDir those of the kernel; tests have others.
const (
	sysctlDir = "/etc/sysctl.d"
	procDir   = "/proc/sys"
)

// own are the settings that a container has for itself, by prefix; all others belong to the host.
var own = []string{"net.", "kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue."}

// applySettings sets those of the kernel settings in dir that are the container's own. What is the host's is left alone and
// told, what the kernel refuses is told: neither keeps a machine from starting.
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
				log.Info("Left a kernel setting alone that is the host's", "key", key, "value", value)
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

// settings reads the lines "key = value" of a file; a minus before the key, which makes errors not matter, is ignored.
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
