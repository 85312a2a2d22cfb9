package preflight

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gardener-up/gardener-up/local/doctor"
)

const (
	// neededInstances is enough for a landscape and six shoots. A landscape opens about 14, each shoot about seven.
	neededInstances = 64
	// goodLimit is what distributions for servers set.
	goodLimit = 8192
)

// checkInotify compares how many inotify instances the processes of this user have with the limit of the kernel. Servers open them to
// watch files.
func checkInotify(open, limit int) doctor.Finding {
	finding := doctor.Finding{Check: "inotify instances", State: doctor.OK, Message: "enough"}
	if left := max(limit-open, 0); left < neededInstances {
		finding.State = doctor.Warning
		finding.Message = fmt.Sprintf("this user may open only %d more, a landscape with a few shoots needs %d: changes of files may be noticed late", left, neededInstances)
		finding.Cure = fmt.Sprintf("sysctl fs.inotify.max_user_instances=%d", goodLimit)
	}
	return finding
}

// inotify only counts. Opening as many as are needed would take them from servers that start at the same time.
func inotify() doctor.Finding {
	limit, err := inotifyLimit()
	if err != nil {
		return doctor.Finding{Check: "inotify instances", State: doctor.OK, Message: "not limited"}
	}
	return checkInotify(inotifyInstances("/proc", uint32(os.Geteuid())), limit)
}

// inotifyLimit is the lower one of the limits of a user and of the user namespace.
func inotifyLimit() (int, error) {
	limit := 0
	for _, file := range []string{"/proc/sys/fs/inotify/max_user_instances", "/proc/sys/user/max_inotify_instances"} {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		value, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", file, err)
		}
		if limit == 0 || value < limit {
			limit = value
		}
	}
	return limit, nil
}

// inotifyInstances counts those of the processes of a user, since the limit is that of a user. proc is /proc.
func inotifyInstances(proc string, user uint32) int {
	open := 0
	processes, _ := filepath.Glob(filepath.Join(proc, "[0-9]*"))
	for _, process := range processes {
		if !isOf(process, user) {
			continue
		}
		descriptors, _ := filepath.Glob(filepath.Join(process, "fd", "*"))
		for _, descriptor := range descriptors {
			if target, err := os.Readlink(descriptor); err == nil && target == "anon_inode:inotify" {
				open++
			}
		}
	}
	return open
}

// isOf reports whether a process is one of the user, by its status: the directory of a process that gave up its rights is that of root.
func isOf(process string, user uint32) bool {
	text, err := os.ReadFile(filepath.Join(process, "status"))
	if err != nil {
		return false // it has ended
	}
	for line := range strings.Lines(string(text)) {
		if ids, found := strings.CutPrefix(line, "Uid:"); found {
			all := strings.Fields(ids) // real, effective, saved and for files
			return len(all) > 1 && all[1] == strconv.FormatUint(uint64(user), 10)
		}
	}
	return false
}
