package sandboxed

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gardener-up/gardener-up/embedded/node/within"
	"github.com/gardener-up/gardener-up/embedded/sandbox/pod"
)

// settle replaces the paths of mounts by what they lead to, without links. It refuses links that lead elsewhere.
func (h *Host) settle(mounts []pod.Mount, sandbox Sandbox) error {
	for i := range mounts {
		base, err := h.config.Base(uid(sandbox), mounts[i].HostPath)
		if err == nil {
			mounts[i].HostPath, err = within.Resolve(mounts[i].HostPath, base)
		}
		if err != nil {
			return fmt.Errorf("mount %s: %w", mounts[i].ContainerPath, err)
		}
	}
	return nil
}

// scratch are the directories that only containers of the pod use, without links.
func (h *Host) scratch(sandbox Sandbox) ([]string, error) {
	dirs, err := h.config.Scratch(uid(sandbox))
	if err != nil {
		return nil, err
	}
	for i := range dirs {
		if dirs[i], err = filepath.EvalSymlinks(dirs[i]); err != nil {
			return nil, fmt.Errorf("find volumes of pod: %w", err)
		}
	}
	return dirs, nil
}

// resolvConf is where programs look for the name servers.
const resolvConf = "/etc/resolv.conf"

// withResolvConf adds the file of the pod, if it has one and the container mounts nothing else there.
func withResolvConf(mounts []pod.Mount, file string) []pod.Mount {
	if file == "" || slices.ContainsFunc(mounts, func(m pod.Mount) bool { return filepath.Clean(m.ContainerPath) == resolvConf }) {
		return mounts
	}
	return append(mounts, pod.Mount{ContainerPath: resolvConf, HostPath: file})
}

func uid(sandbox Sandbox) string { return sandbox.Config.GetMetadata().GetUid() }
