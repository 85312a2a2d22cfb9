package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// askedMinor is the minor version of Kubernetes of the shoot, which is not that of the binary.
const askedMinor = "34"

// TestAnotherBinary lets a newer binary take over a landscape, and goes back to the older one.
func TestAnotherBinary(t *testing.T) {
	next, err := testenv.NextBinary()
	if err != nil {
		t.Fatal(err)
	}
	l := framework.New(t)
	older := l.Binary
	l.Gardener("up")
	applyOlderShoot(t, l)
	l.Gardener("shoot", "wait", "local", "-n", "garden-local", "--timeout=10m")
	shoot := l.Shoot("garden-local", "local")
	l.Kubectl(shoot, "create", "configmap", "kept")
	l.Kubectl(l.Garden(), "-n", "garden-local", "create", "configmap", "kept")
	before, images := identity(l), imagesOfShoot(l)
	checkMinor(t, l)

	reader := follow.New(t, l)
	installed := filepath.Join(l.Dir, "bin", "gardener")
	reader.Names = []string{"/usr/local/bin/gardener", installed, "gardener-new", next}
	begin := time.Now()
	reader.Follow(t, "docs/upgrade.md", follow.Steps(t, "docs/upgrade.md", "e2e/faults"))
	l.Binary = installed
	t.Logf("up of the newer binary, after down, took %s", time.Since(begin).Round(100*time.Millisecond))
	l.Eventually(2*time.Minute, "the API server of the shoot answers", func() (bool, string) {
		r := l.TryKubectl(shoot, "get", "--raw=/readyz", "--request-timeout=10s")
		return r.Code == 0, r.Stderr
	})
	t.Logf("the API server of the shoot answered after %s", time.Since(begin).Round(100*time.Millisecond))
	t.Run("APP-6 a newer binary copies the state before it takes over", func(t *testing.T) {
		for _, name := range []string{"appliance.db", "pki", "etcd"} {
			if found, _ := filepath.Glob(filepath.Join(l.StateDir, "upgrades", "2*", name)); len(found) != 1 {
				t.Errorf("copies of %s: %v, want one", name, found)
			}
		}
	})
	t.Run("APP-6 control planes and machines keep their binary outside of the maintenance window", func(t *testing.T) {
		keepsBinary(t, l.For(t), images)
		checkSame(t, l.For(t), before)
	})
	t.Run("APP-6 control planes and machines take the newer binary on request, and the shoot stays as it is", func(t *testing.T) {
		l := l.For(t)
		begin := time.Now()
		l.Kubectl(l.Garden(), "-n", "garden-local", "annotate", "shoot", "local", "gardener.cloud/operation=maintain")
		l.Eventually(10*time.Minute, "control plane and machines run the newer binary", func() (bool, string) {
			images := imagesOfShoot(l)
			return images != "" && strings.Count(images, "\n") == strings.Count(images, ":"+testenv.NextVersion+"\n"), images
		})
		t.Logf("control plane and machines were replaced after %s", time.Since(begin).Round(100*time.Millisecond))
		checkSame(t, l, before)
		l.Eventually(time.Minute, "no process runs the older binary", func() (bool, string) {
			kept := keptBinaries(l)
			return len(kept) == 0, fmt.Sprint(kept)
		})
	})
	l.Kubectl(l.Garden(), "-n", "garden-local", "create", "configmap", "later")
	l.Kubectl(shoot, "create", "configmap", "later")
	l.Gardener("down")

	l.Binary = older
	wayBack := ""
	t.Run("APP-6 an older binary refuses and says how to go back", func(t *testing.T) {
		r := l.For(t).Run("up")
		if r.Code != 7 {
			t.Errorf("exit code %d, want 7", r.Code)
		}
		for _, text := range []string{l.StateDir, testenv.NextVersion, "An older binary may not understand", "newer binary", "loses every later change"} {
			if !strings.Contains(r.Stderr, text) {
				t.Errorf("error does not tell %q:\n%s", text, r.Stderr)
			}
		}
		for line := range strings.Lines(r.Stderr) {
			if command := strings.TrimSpace(line); strings.HasPrefix(command, "(") {
				wayBack = command
			}
		}
	})
	t.Run("APP-6 going back as the error says works", func(t *testing.T) {
		l := l.For(t)
		if wayBack == "" {
			t.Fatal("the error names no command")
		}
		if out, err := exec.Command("sh", "-c", wayBack).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", wayBack, err, out)
		}
		l.Gardener("up")
		checkSame(t, l, before)
		if r := l.TryKubectl(l.Garden(), "-n", "garden-local", "get", "configmap", "later"); !strings.Contains(r.Stderr, "NotFound") {
			t.Errorf("what came after the copy is still in the garden: %s%s", r.Stdout, r.Stderr)
		}
		l.Kubectl(shoot, "get", "configmap", "later") // the cluster of the shoot does not go back
	})
}

// applyOlderShoot applies the example with another minor version of Kubernetes.
func applyOlderShoot(t *testing.T, l *framework.Landscape) {
	t.Helper()
	example, err := os.ReadFile(filepath.Join(framework.Examples(), "90-shoot.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(example), "\n    version: ")
	_, tail, _ := strings.Cut(rest, "\n")
	begin := time.Now().UTC().Add(6 * time.Hour) // the upgrade is over before
	window := fmt.Sprintf("  maintenance: {timeWindow: {begin: %s+0000, end: %s+0000}}\n", begin.Format("150405"), begin.Add(time.Hour).Format("150405"))
	l.Kubectl(l.Garden(), "apply", "-f", l.File("shoot.yaml", head+"\n    version: 1."+askedMinor+".0\n"+tail+window))
}

// imagesOfShoot are the images of the control plane and of the machines, one in a line.
func imagesOfShoot(l *framework.Landscape) string {
	return l.Kubectl(l.Seed(), "-n", "shoot--local--local", "get", "pods", "-o", `jsonpath={range .items[*].spec.containers[*]}{.image}{"\n"}{end}`)
}

// keptBinaries are the versions of processes that do not run the binary of the landscape, by their command lines.
func keptBinaries(l *framework.Landscape) map[string]string {
	found := map[string]string{}
	for pid, text := range l.Processes() {
		file, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if rest, kept := strings.CutPrefix(file, filepath.Join(l.StateDir, "binaries")+"/"); err == nil && kept {
			found[text], _, _ = strings.Cut(rest, "/")
		}
	}
	return found
}

// keepsBinary expects that the shoot runs what it ran before the upgrade, and that nobody changes that. images are those of
// before.
func keepsBinary(t *testing.T, l *framework.Landscape, images string) {
	t.Helper()
	testwait.Stays(t, 15*time.Second, "the gardenlet, which reconciles what is due at once", func() error {
		if now := imagesOfShoot(l); now != images {
			return fmt.Errorf("images are\n%s, were\n%s", now, images)
		}
		return nil
	})
	tag := strings.TrimSpace(images[strings.LastIndex(strings.TrimSpace(images), ":")+1:])
	for _, component := range []string{"kube-apiserver", "backup-restore", "kube-controller-manager", "kubelet"} {
		l.Eventually(time.Minute, component+" of version "+tag+" runs", func() (bool, string) {
			kept := keptBinaries(l)
			for text, version := range kept {
				if strings.Contains(text+" ", " component "+component+" ") && version == tag {
					return true, ""
				}
			}
			return false, fmt.Sprint(kept)
		})
	}
}

// identity is what an upgrade must not change: objects that would get another UID if they were made again.
func identity(l *framework.Landscape) string {
	const uid = "jsonpath={.metadata.uid}"
	shoot := l.Shoot("garden-local", "local")
	return strings.Join([]string{
		l.Kubectl(l.Garden(), "-n", "garden-local", "get", "shoot", "local", "-o", uid),
		l.Kubectl(l.Garden(), "-n", "garden-local", "get", "configmap", "kept", "-o", uid),
		l.Kubectl(shoot, "get", "configmap", "kept", "-o", uid),
		l.Kubectl(shoot, "get", "namespace", "kube-system", "-o", uid),
		l.Kubectl(shoot, "get", "nodes", "-o", "jsonpath={.items[*].metadata.uid}"),
	}, " ")
}

func checkSame(t *testing.T, l *framework.Landscape, before string) {
	t.Helper()
	l.Gardener("shoot", "wait", "local", "-n", "garden-local", "--timeout=10m")
	if after := identity(l); after != before {
		t.Errorf("objects are %s, were %s", after, before)
	}
	checkMinor(t, l)
}

// checkMinor expects that the shoot serves the minor version that it asks for.
func checkMinor(t *testing.T, l *framework.Landscape) {
	t.Helper()
	var versions struct {
		ServerVersion struct{ EmulationMinor string }
	}
	text := l.Kubectl(l.Shoot("garden-local", "local"), "version", "-o", "json")
	if err := json.Unmarshal([]byte(text), &versions); err != nil {
		t.Fatal(err)
	}
	if got := versions.ServerVersion.EmulationMinor; got != askedMinor {
		t.Errorf("APP-6 the shoot serves minor %s, want %s", got, askedMinor)
	}
}
