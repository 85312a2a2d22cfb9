package faults

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// hungProcesses stops processes of a shoot without ending them, one after the other.
func hungProcesses(t *testing.T, l *framework.Landscape) {
	l.Eventually(2*time.Minute, "status has nothing to say before", func() (bool, string) {
		r := l.Run("status")
		return r.Code == 0, r.Stdout + r.Stderr
	})
	for _, component := range []string{"kube-apiserver", "backup-restore", "kube-scheduler"} {
		t.Run("APP-10 "+component+" of a shoot that hangs is told", func(t *testing.T) {
			l := l.For(t)
			pids := componentsOf(l, component)
			if len(pids) == 0 {
				t.Fatalf("no process in %v", l.Processes())
			}
			signal := func(s syscall.Signal) {
				for _, pid := range pids {
					// the kubelet ends what does not answer its probes for a while
					if err := syscall.Kill(pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
						t.Fatal(err)
					}
				}
			}
			before := degraded(l)
			signal(syscall.SIGSTOP)
			begin := time.Now()
			defer signal(syscall.SIGCONT)
			// Ten seconds until it is told, and the rest for the command on a busy machine.
			l.Eventually(time.Minute, "the exit code and the text of status tell it", func() (bool, string) {
				r := l.Run("status")
				return r.Code == 1 && strings.Contains(r.Stdout, "does not serve: shoot--local--local/"), r.Stdout + r.Stderr
			})
			t.Logf("told after %s", time.Since(begin).Round(100*time.Millisecond))
			l.Eventually(time.Minute, "an event tells it", func() (bool, string) {
				now := degraded(l) // events of the components before stay
				return len(now) > len(before), strings.Join(now, "\n")
			})
			signal(syscall.SIGCONT)
			l.Eventually(2*time.Minute, "status has nothing to say when it goes on", func() (bool, string) {
				r := l.Run("status")
				return r.Code == 0, r.Stdout + r.Stderr
			})
		})
	}
}

// degraded are the events about the shoot's control plane.
func degraded(l *framework.Landscape) (found []string) {
	out := l.Kubectl(l.Garden(), "get", "events", "-n", "default", "--field-selector=reason=PartDegraded", "-o", `jsonpath={range .items[*]}{.message}{"\n"}{end}`)
	for message := range strings.Lines(out) {
		if strings.Contains(message, "control-planes: does not serve: shoot--local--local/") {
			found = append(found, message)
		}
	}
	return found
}

// componentsOf are the processes of a component of shoots.
func componentsOf(l *framework.Landscape, component string) (pids []int) {
	for pid, text := range l.Processes() {
		if strings.Contains(text+" ", " component "+component+" ") {
			pids = append(pids, pid)
		}
	}
	return pids
}
