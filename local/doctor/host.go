package doctor

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/gardener-up/gardener-up/local/containers"
)

const (
	// capSysResource is the number of the capability CAP_SYS_RESOURCE, see capabilities(7).
	capSysResource = 24
	// minDisk is the size of the images of a seed and a shoot, with some reserve.
	minDisk = 6 << 30
	// minInstances and minWatches are the inotify limits below which nodes start to fail with "too many open files".
	minInstances, minWatches = 512, 524288
)

// hostHas reports whether a capability is in the bounding set of this process, which limits container engines on the
// same machine, too.
func hostHas(capability uint) bool {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return true // not Linux: the container engine is on another machine
	}
	return bounding(string(status), capability)
}

func bounding(status string, capability uint) bool {
	for _, line := range strings.Split(status, "\n") {
		text, ok := strings.CutPrefix(line, "CapBnd:")
		if !ok {
			continue
		}
		set, err := strconv.ParseUint(strings.TrimSpace(text), 16, 64)
		return err != nil || set&(1<<capability) != 0
	}
	return true
}

func checkCgroups(ctx context.Context, engine *containers.Engine) Finding {
	return judgeCgroups(engine.Name(), engine.CgroupVersion(ctx))
}

func judgeCgroups(engine, version string) Finding {
	f := Finding{Check: "cgroups", State: OK, Message: "version 2"}
	switch {
	case version == "":
		f.State, f.Message, f.Cure = Warning, "the engine does not tell their version", "use version 2"
	case version == "1" && engine == containers.Nerdctl:
		f.State, f.Message = Problem, "version 1, where kind makes nodes with nerdctl without the cgroup namespace that they need"
		f.Cure = "boot with systemd.unified_cgroup_hierarchy=1, or use docker or podman"
	case version == "1":
		f.State, f.Message = Warning, "version 1, which kubelets support only on request"
		f.Cure = "boot with systemd.unified_cgroup_hierarchy=1"
	}
	return f
}

func checkDisk(ctx context.Context, engine *containers.Engine) Finding {
	f := Finding{Check: "disk", State: OK, Message: "not on this machine"}
	dir := engine.DataDir(ctx)
	if dir == "" {
		f.Message = "not looked at, since the engine does not tell where it has its data"
		return f
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return f
	}
	return judgeDisk(dir, fs.Bavail*uint64(fs.Bsize))
}

func judgeDisk(dir string, free uint64) Finding {
	f := Finding{Check: "disk", State: OK, Message: fmt.Sprintf("%d GiB are free in %s", free>>30, dir)}
	if free < minDisk {
		f.State, f.Message = Problem, fmt.Sprintf("only %d MiB are free in %s, %d are needed", free>>20, dir, minDisk>>20)
		f.Cure = "make room, for instance by removing images and volumes that nobody uses"
	}
	return f
}

// checkInotify checks the limits that all kubelets and systemds on one kernel share.
func checkInotify(read func(file string) (int, error)) []Finding {
	var findings []Finding
	for _, limit := range []struct {
		name string
		min  int
	}{{"max_user_instances", minInstances}, {"max_user_watches", minWatches}} {
		f := Finding{Check: "inotify " + limit.name, State: OK}
		have, err := read("/proc/sys/fs/inotify/" + limit.name)
		if err != nil {
			continue // not Linux
		}
		f.Message = strconv.Itoa(have)
		if have < limit.min {
			f.State, f.Message = Warning, fmt.Sprintf("%d is few for more than two nodes", have)
			f.Cure = fmt.Sprintf("sysctl fs.inotify.%s=%d", limit.name, limit.min)
		}
		findings = append(findings, f)
	}
	return findings
}

func readNumber(file string) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}
