package seeds

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/e2e/framework"
)

// patience is long, for busy machines.
const patience = 10 * time.Minute

// foreignCluster runs an embedded cluster that the landscape does not know.
func foreignCluster(t *testing.T, nameServer string) *framework.Landscape {
	t.Helper()
	other := framework.New(t)
	if err := os.MkdirAll(filepath.Dir(other.Log()), 0o700); err != nil {
		t.Fatal(err)
	}
	child, err := daemon.Spawn(daemon.Child{
		Executable: other.Binary, Args: []string{"daemon", "--landscape-config=" + other.Config, "--cluster-of=" + nameServer},
		Detached: true, LogFile: other.Log(),
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = child.Wait() }()
	other.Eventually(patience, "the other cluster is up", func() (bool, string) {
		if _, err := os.Stat(other.Seed()); err != nil {
			return false, err.Error()
		}
		r := other.TryKubectl(other.Seed(), "get", "configmap", "embedded-cluster", "-n", "kube-system")
		return r.Code == 0, r.Stderr
	})
	return other
}

// describe creates a Seed with a kubeconfig, as an operator does.
func describe(t *testing.T, l *framework.Landscape, name, kubeconfig string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "seed.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	l.Kubectl(l.Garden(), "create", "secret", "generic", "kubeconfig-"+name, "-n", "garden", "--from-file=kubeconfig="+kubeconfig)
	l.Kubectl(l.Garden(), "create", "-f", l.File("seed-"+name+".yaml", strings.ReplaceAll(string(text), "NAME", name)))
}

func becomesReady(l *framework.Landscape, name string) {
	l.Eventually(patience, "seed "+name+" is ready", func() (bool, string) {
		for _, line := range strings.Split(l.Gardener("seed", "list"), "\n") {
			if fields := strings.Fields(line); len(fields) > 4 && fields[0] == name {
				return fields[4] == "true", line
			}
		}
		return false, "not listed"
	})
}

func saysBootstrapped(l *framework.Landscape, name, reason, text string) {
	l.Eventually(patience, "seed "+name+" tells "+reason, func() (bool, string) {
		said := l.Kubectl(l.Garden(), "get", "seed", name, "-o", `jsonpath={range .status.conditions[?(@.type=="Bootstrapped")]}{.status} {.reason} {.message}{end}`)
		return strings.HasPrefix(said, "False "+reason+" ") && strings.Contains(said, text), said
	})
}

// operated tests seeds that an operator describes.
func operated(t *testing.T, l *framework.Landscape) {
	other := foreignCluster(t, nameServer(t, l))
	kubeconfig := other.Gardener("kubeconfig", "seed", "--expiration", "24h")
	t.Run("API-11 a Seed with a kubeconfig in a Secret becomes Ready", func(t *testing.T) {
		l := l.For(t)
		describe(t, l, "operated", l.File("operated", kubeconfig))
		becomesReady(l, "operated")
		if parts := l.StatusTable(); !strings.Contains(parts, "gardenlet-operated") {
			t.Errorf("the status does not show the gardenlet:\n%s", parts)
		}
		l.Kubectl(other.Seed(), "get", "namespace", "garden")
	})
	t.Run("API-11 a Seed reports that its cluster does not answer, and other seeds go on", func(t *testing.T) {
		l := l.For(t)
		lines := strings.Split(kubeconfig, "\n")
		for i, line := range lines {
			if before, _, found := strings.Cut(line, "server: "); found {
				lines[i] = before + "server: https://127.0.0.1:9"
			}
		}
		describe(t, l, "broken", l.File("broken", strings.Join(lines, "\n")))
		saysBootstrapped(l, "broken", "SeedUnreachable", "the cluster does not answer")
		for _, seed := range []string{"local", "operated"} {
			becomesReady(l, seed)
		}
		l.Kubectl(l.Garden(), "delete", "seed", "broken")
	})
	t.Run("API-11 a Seed that is deleted is cleaned and served no longer", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(l.Garden(), "delete", "seed", "operated", "--timeout="+patience.String())
		l.Eventually(patience, "its parts end", func() (bool, string) {
			r := l.Run("status") // a busy part may be degraded for a moment
			return r.Code == 0 && !strings.Contains(r.Stdout, "gardenlet-operated"), r.Stdout + r.Stderr
		})
		if left := l.Kubectl(other.Seed(), "get", "priorityclasses", "-o", "name"); strings.Contains(left, "gardener-system-500") {
			t.Errorf("left in the cluster: %s", left)
		}
	})
}
