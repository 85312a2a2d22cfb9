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
	// moreFiles and moreSockets are how many more a daemon may have open than before. A file that each cycle leaks is seen, since the cycles are more
	// than moreFiles. Connections come and go.
	moreFiles, moreSockets, cycles = 2, 5, 3
	// quiet is how long the number of open files must be the same.
	quiet = 15 * time.Second
)

// inotifyInstances counts those of all processes of the landscape. Many systems allow a user 128. A process that has just been forked shares those of its
// parent, and counts twice for a moment.
func inotifyInstances(t *testing.T, l *framework.Landscape) {
	l.Eventually(time.Minute, "the landscape has few inotify instances", func() (bool, string) {
		found, all := 0, []string{}
		for pid, command := range l.Processes() {
			if n := open(pid)["anon_inode:inotify"]; n > 0 {
				found += n
				all = append(all, fmt.Sprintf("%d in process %d: %.120s", n, pid, command))
			}
		}
		return found > 0 && found <= mostInstances, fmt.Sprintf("%d instances, at most %d are expected:\n%s", found, mostInstances, strings.Join(all, "\n"))
	})
}

// openAfterShoots comes after a deletion of a shoot.
func openAfterShoots(t *testing.T, l *framework.Landscape) {
	daemon := l.Daemon()
	cycle := func() {
		l.Gardener("shoot", "create", "again", "-n", "garden-local", "--workers=0")
		l.Gardener("shoot", "delete", "again", "-n", "garden-local", "--yes", "--timeout=10m")
	}
	cycle()
	first, since := open(daemon), time.Now()
	l.Eventually(3*time.Minute, "the daemon is quiet after the first deletion", func() (bool, string) {
		now := open(daemon)
		if files(now) != files(first) {
			since = time.Now()
		}
		said := difference(first, now)
		first = now
		return time.Since(since) >= quiet, said
	})
	for range cycles {
		cycle()
	}
	l.Eventually(3*time.Minute, "no more files are open than after the first deletion", func() (bool, string) {
		now := open(daemon)
		return files(now) <= files(first)+moreFiles && now[sockets] <= first[sockets]+moreSockets, difference(first, now)
	})
}

// sockets is a kind of open files.
const sockets = "socket"

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

// files is how many are open that are not sockets.
func files(kinds map[string]int) int {
	sum := 0
	for kind, n := range kinds {
		if kind != sockets {
			sum += n
		}
	}
	return sum
}

func difference(before, after map[string]int) string {
	lines := []string{fmt.Sprintf("%d files and %d sockets are open, %d and %d were", files(after), after[sockets], files(before), before[sockets])}
	for _, kind := range slices.Sorted(maps.Keys(after)) {
		if after[kind] > before[kind] {
			lines = append(lines, fmt.Sprintf("%d of %s, before %d", after[kind], kind, before[kind]))
		}
	}
	return strings.Join(lines, "\n")
}
