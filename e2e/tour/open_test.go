package tour

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

const (
	// mostInstances are those of a landscape and one shoot with a node: 14 of the daemon, 7 of the shoot and 2 of the kubelet, as
	// docs/configuration.md says, and a few more, since a process may have more for a moment.
	mostInstances = 26
	// moreFiles is how many more files a daemon may have open than before: connections come and go. A cycle that leaks leaves one or more.
	moreFiles, cycles = 5, 3
)

// inotifyInstances counts those of all processes of the landscape. Many systems allow a user 128.
func inotifyInstances(t *testing.T, l *framework.Landscape) {
	found, all := 0, []string{}
	for pid, command := range l.Processes() {
		if n := open(pid)["anon_inode:inotify"]; n > 0 {
			found += n
			all = append(all, fmt.Sprintf("%d in process %d: %.120s", n, pid, command))
		}
	}
	if found == 0 || found > mostInstances {
		t.Errorf("%d instances, at most %d are expected:\n%s", found, mostInstances, strings.Join(all, "\n"))
	}
}

// openAfterShoots comes after a deletion of a shoot.
func openAfterShoots(t *testing.T, l *framework.Landscape) {
	daemon := l.Daemon()
	var first map[string]int
	cycle := func() {
		l.Gardener("shoot", "create", "again", "-n", "garden-local", "--workers=0")
		l.Gardener("shoot", "delete", "again", "-n", "garden-local", "--yes", "--timeout=10m")
	}
	cycle()
	first = open(daemon)
	for range cycles {
		cycle()
	}
	l.Eventually(3*time.Minute, "no more files are open than after the first deletion", func() (bool, string) {
		now := open(daemon)
		return total(now) <= total(first)+moreFiles, difference(first, now)
	})
}

// open counts the open files of a process by what they are. Sockets and pipes are one kind each.
func open(pid int) map[string]int {
	kinds := map[string]int{}
	descriptors, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // fails for bad patterns only
	for _, descriptor := range descriptors {
		if target, err := os.Readlink(descriptor); err == nil {
			if kind, _, numbered := strings.Cut(target, ":["); numbered {
				target = kind
			}
			kinds[target]++
		}
	}
	return kinds
}

func total(kinds map[string]int) int {
	sum := 0
	for _, n := range kinds {
		sum += n
	}
	return sum
}

func difference(before, after map[string]int) string {
	lines := []string{fmt.Sprintf("%d are open, %d were", total(after), total(before))}
	for _, kind := range slices.Sorted(maps.Keys(after)) {
		if after[kind] > before[kind] {
			lines = append(lines, fmt.Sprintf("%d of %s, before %d", after[kind], kind, before[kind]))
		}
	}
	return strings.Join(lines, "\n")
}
