package containers

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// traits are what an engine tells about itself that nodes depend on.
type traits struct {
	// cgroups is their version, 1 or 2; dataDir the directory of images and containers. Both are empty if they are not told.
	cgroups, dataDir string
	// rootless engines run as an ordinary user; remapped ones give containers users of their own.
	rootless, remapped bool
	// storage are the names of the storage driver and of the file system below it.
	storage []string
}

// CgroupVersion is the version of the cgroups that containers get, 1 or 2; empty if the engine does not tell.
func (e *Engine) CgroupVersion(ctx context.Context) string { return e.traits(ctx).cgroups }

// DataDir is the directory of images and containers, on the engine's machine; empty if the engine does not tell.
func (e *Engine) DataDir(ctx context.Context) string { return e.traits(ctx).dataDir }

// traits asks the engine. One that does not tell is taken as an ordinary one.
func (e *Engine) traits(ctx context.Context) traits {
	format := "{{json .}}"
	if e.name == Podman {
		format = "json"
	}
	out, err := e.Info(ctx, format)
	if err != nil {
		return traits{}
	}
	return parseTraits([]byte(out))
}

// parseTraits reads docker's and nerdctl's form, and podman's.
func parseTraits(data []byte) traits {
	var told struct {
		Driver          string
		DriverStatus    [][]string
		SecurityOptions []string
		CgroupVersion   string
		DockerRootDir   string
		Host            struct {
			CgroupVersion string
			Security      struct{ Rootless bool }
		}
		Store struct {
			GraphRoot       string
			GraphDriverName string
			GraphStatus     map[string]string
		}
	}
	if err := json.Unmarshal(data, &told); err != nil {
		return traits{}
	}
	t := traits{
		cgroups:  strings.TrimPrefix(told.CgroupVersion+told.Host.CgroupVersion, "v"),
		dataDir:  told.DockerRootDir + told.Store.GraphRoot,
		rootless: told.Host.Security.Rootless,
		storage:  []string{told.Driver, told.Store.GraphDriverName, told.Store.GraphStatus["Backing Filesystem"]},
	}
	for _, option := range told.SecurityOptions {
		t.rootless = t.rootless || strings.Contains(option, "name=rootless")
		t.remapped = t.remapped || strings.Contains(option, "name=userns")
	}
	for _, status := range told.DriverStatus {
		if len(status) == 2 && status[0] == "Backing Filesystem" {
			t.storage = append(t.storage, status[1])
		}
	}
	return t
}

// args are what privileged containers need on such an engine: the host's users, the devices of file systems that a kubelet
// looks into, or FUSE, by which ordinary users mount.
func (t traits) args() []string {
	var args []string
	if t.remapped {
		args = append(args, "--userns=host")
	}
	if t.rootless {
		return append(args, "--device", "/dev/fuse")
	}
	if slices.ContainsFunc(t.storage, func(s string) bool {
		return slices.Contains([]string{"btrfs", "zfs", "xfs", "devicemapper"}, strings.ToLower(s))
	}) {
		args = append(args, "--volume", "/dev/mapper:/dev/mapper")
	}
	return args
}
