package faults

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// suspension is longer than the leases of controllers (15 s) and of nodes (40 s).
const suspension = time.Minute

// TestLaptop is one landscape on a machine that has no network and no shared memory, and that is closed for a while.
func TestLaptop(t *testing.T) {
	t.Parallel()
	l := framework.New(t)
	onBareMachine(t, l)
	t.Run("APP-1 a landscape and a shoot need no rights, no other program, no network and no /dev/shm", func(t *testing.T) {
		l := l.For(t)
		l.Gardener("up")
		l.Gardener("shoot", "create", "sun", "-n", "garden-local")
		root, err := os.ReadFile(filepath.Join("/proc", "self", "mounts"))
		daemon, failed := os.ReadFile(filepath.Join("/proc", strconv.Itoa(l.Daemon()), "mounts"))
		if err != nil || failed != nil || strings.Count(string(daemon), " /dev/shm tmpfs ro,") <= strings.Count(string(root), " /dev/shm tmpfs ro,") {
			t.Fatalf("the daemon has a /dev/shm: %v, %v\n%s", err, failed, daemon)
		}
		if process, err := os.Stat(filepath.Join("/proc", strconv.Itoa(l.Daemon()))); err != nil || process.Sys().(*syscall.Stat_t).Uid != nobody {
			t.Fatalf("the daemon is not of the ordinary user: %v", err)
		}
		routes, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(l.Daemon()), "net", "route"))
		if err != nil || strings.Count(string(routes), "\n") != 1 { // the line with the titles
			t.Fatalf("the daemon has a network: %v\n%s", err, routes)
		}
	})
	machines := func() string {
		return l.Kubectl(l.Seed(), "get", "machines", "-A", "-o", "jsonpath={.items[*].metadata.name}")
	}
	before, daemon, leases := machines(), l.Daemon(), leasesOf(l)
	signal := func(s syscall.Signal) {
		for pid := range l.Processes() {
			if err := syscall.Kill(pid, s); err != nil && !errors.Is(err, syscall.ESRCH) { // it may have ended meanwhile
				t.Errorf("signal %s to process %d: %v", s, pid, err)
			}
		}
	}
	signal(syscall.SIGSTOP)
	time.Sleep(suspension) // nothing can be seen meanwhile
	continued := time.Now()
	signal(syscall.SIGCONT)

	l.Eventually(3*time.Minute, "APP-10 everything serves after the machine was suspended", func() (bool, string) {
		r := l.Run("status")
		return r.Code == 0 && strings.Contains(r.Stdout, "all true"), r.Stdout + r.Stderr
	})
	t.Run("APP-10 who had a lease renews it", func(t *testing.T) {
		if len(leases) < 5 { // the seed, a node of seed and shoot each, and their API servers
			t.Errorf("leases before: %v", leases)
		}
		l := l.For(t)
		l.Eventually(time.Minute, "leases are renewed", func() (bool, string) {
			now := leasesOf(l)
			for name, was := range leases {
				if is := now[name]; is.holder != was.holder || !is.renewed.After(continued) {
					return false, fmt.Sprintf("%s is %v, before %v", name, is, was)
				}
			}
			return true, ""
		})
	})
	t.Run("APP-10 the cluster works, and nothing was replaced", func(t *testing.T) {
		l := l.For(t)
		l.Gardener("shoot", "wait", "sun", "-n", "garden-local", "--timeout=10m")
		kubeconfig := l.Shoot("garden-local", "sun")
		l.Kubectl(kubeconfig, "create", "configmap", "after")
		l.Kubectl(kubeconfig, "wait", "--for=condition=Ready", "nodes", "--all", "--timeout=10m")
		if after := machines(); after != before {
			t.Errorf("machines %q, before %q", after, before)
		}
		if l.Daemon() != daemon {
			t.Errorf("the daemon is process %d, before %d", l.Daemon(), daemon)
		}
	})
}

// lease tells who has something and when that was renewed.
type lease struct {
	holder  string
	renewed time.Time
}

// leasesOf are the leases of nodes, seeds and API servers, by the cluster and their name.
func leasesOf(l *framework.Landscape) map[string]lease {
	found := map[string]lease{}
	for cluster, kubeconfig := range map[string]string{"garden": l.Garden(), "seed": l.Seed(), "shoot": l.Shoot("garden-local", "sun")} {
		for _, namespace := range []string{"kube-node-lease", "gardener-system-seed-lease", "kube-system"} {
			out := l.Kubectl(kubeconfig, "get", "leases", "-n", namespace, "-o", `jsonpath={range .items[*]}{.metadata.name} {.spec.holderIdentity} {.spec.renewTime}{"\n"}{end}`)
			for line := range strings.Lines(out) {
				if words := strings.Fields(line); len(words) == 3 {
					renewed, _ := time.Parse(time.RFC3339, words[2])
					found[cluster+" "+namespace+"/"+words[0]] = lease{words[1], renewed}
				}
			}
		}
	}
	return found
}

// nobody is a user without rights, whom systems do not know.
const nobody = 64321

// onBareMachine lets commands run as an ordinary user who has no other tool, where there is no network but loopback, and where /dev/shm is
// an empty directory that nobody can write. The landscape that they start sees it, too.
func onBareMachine(t *testing.T, l *framework.Landscape) {
	t.Helper()
	if os.Getuid() != 0 {
		testskip.OutsideCI(t, "only root can mount and become another user")
	}
	const script = `#!/bin/sh
chown %[1]d:%[1]d "$HOME" "$HOME"/*
exec nsenter --net=%[2]s unshare --mount --propagation private sh -c 'mount -t tmpfs -o ro none /dev/shm &&
exec setpriv --reuid %[1]d --regid %[1]d --clear-groups env PATH=/nonexistent "$0" "$@"' '%[3]s' "$@"
`
	if err := os.Chmod(filepath.Dir(l.Dir), 0o755); err != nil { // other users cannot enter it otherwise
		t.Fatal(err)
	}
	binary, wrapper := filepath.Join(l.Dir, "binary"), filepath.Join(l.Dir, "gardener")
	if output, err := exec.Command("cp", l.Binary, binary).CombinedOutput(); err != nil { // from where the user may not read
		t.Fatalf("copy the binary: %v\n%s", err, output)
	}
	if err := os.WriteFile(wrapper, fmt.Appendf(nil, script, nobody, withoutNetwork(t), binary), 0o755); err != nil {
		t.Fatal(err)
	}
	l.Binary, l.Apart = wrapper, true
}
