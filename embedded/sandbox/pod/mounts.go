package pod

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// private replaces the sources of mounts by paths in dir, where the agent mounts them, so that gVisor opens nothing by a path that users of
// pods can change. gVisor knows Config.Scratch by its own path.
func (c Config) private(mounts []Mount, dir string) ([]Mount, []wire.Bind, error) {
	mounts = slices.Clone(mounts)
	var binds []wire.Bind
	for i := range mounts {
		source, target := mounts[i].HostPath, filepath.Join(dir, strconv.Itoa(i))
		if slices.Contains(c.Scratch, source) {
			continue
		}
		if err := likeness(source, target); err != nil {
			return nil, nil, fmt.Errorf("prepare the mount of %s: %w", source, err)
		}
		binds = append(binds, wire.Bind{Source: source, Target: target})
		mounts[i].HostPath = target
	}
	return mounts, binds, nil
}

// likeness makes an empty directory or file, as the source is.
func likeness(source, target string) error {
	info, err := os.Lstat(source)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.MkdirAll(target, 0o700)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	return os.WriteFile(target, nil, 0o600)
}
