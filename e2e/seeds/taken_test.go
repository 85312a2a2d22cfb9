package seeds

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// taken lets the first seed take shoot chosen from seed two, whose gardenlet is away, and gives the shoot back when that gardenlet has cleaned up.
func taken(t *testing.T, l *framework.Landscape, reader *follow.Reader) {
	shoot := l.File("chosen.yaml", l.Gardener("kubeconfig", "shoot", "chosen", "-n", garden))
	two := l.File("seed-two.yaml", l.Gardener("kubeconfig", "seed", "two"))
	l.Kubectl(shoot, "create", "configmap", "taken", "--from-literal=key=taken")
	node, authority := l.Kubectl(shoot, "get", "nodes", "-o", theNode), l.Kubectl(l.Garden(), "-n", garden, "get", "secret", "chosen.ca-cluster", "-o", caOfShoot)
	whole := func(when string) {
		t.Helper()
		if got := l.Kubectl(shoot, "get", "configmap", "taken", "-o", "jsonpath={.data.key}"); got != "taken" {
			t.Errorf("MIG-15 %s: the config map has %q", when, got)
		}
		if got := l.Kubectl(shoot, "get", "nodes", "-o", theNode); got != node {
			t.Errorf("MIG-15 %s: nodes were %q, and are %q", when, node, got)
		}
		if got := l.Kubectl(l.Garden(), "-n", garden, "get", "secret", "chosen.ca-cluster", "-o", caOfShoot); got != authority {
			t.Errorf("MIG-15 %s: the shoot has another authority", when)
		}
	}

	l.Gardener("part", "stop", "gardenlet-two")
	found(t, l, "two")
	leaving := *reader
	leaving.Names = []string{" sun ", " chosen "}
	leaving.Follow(t, "docs/migration.md", follow.Steps(t, "docs/migration.md", "e2e/seeds"))
	began := time.Now()
	l.Eventually(patience, "MIG-15 the shoot is taken", func() (bool, string) {
		said := l.Kubectl(l.Garden(), "-n", garden, "get", "shoot", "chosen", "-o", "jsonpath={.status.seedName} {.status.lastOperation.type} {.metadata.annotations.shoot\\.gardener\\.cloud/force-restore}")
		return strings.HasPrefix(said, "local Restore") && !strings.Contains(said, "true"), said
	})
	l.Gardener("shoot", "wait", "chosen", "-n", garden, "--timeout="+patience.String())
	t.Logf("taken within %s", time.Since(began).Round(time.Second))
	owned(t, l, l.Seed())
	whole("without the gardenlet of the former seed")
	inert(t, l, two)
	bucket := l.Kubectl(l.Garden(), "get", "seed", "local", "-o", "jsonpath={.metadata.uid}")
	if entries := l.Kubectl(l.Garden(), "-n", garden, "get", "backupentries", "-o", `jsonpath={range .items[*]}{.metadata.name} {.spec.seedName} {.spec.bucketName} {.status.seedName}{"\n"}{end}`); strings.Contains(entries, "source-") || strings.Contains(entries, "two") || !strings.Contains(entries, "local "+bucket+" local") {
		t.Errorf("MIG-15 backup entries\n%s", entries)
	}

	machines := l.Kubectl(l.Seed(), "-n", chosen, "get", "machines", "-o", "jsonpath={.items[*].metadata.uid}")
	l.Gardener("part", "start", "gardenlet-two")
	l.Eventually(patience, "MIG-20 the former seed cleans up", func() (bool, string) {
		space, cluster := l.TryKubectl(two, "get", "namespace", chosen), l.TryKubectl(two, "get", "cluster", chosen)
		left := l.Kubectl(two, "get", "backupentries.extensions.gardener.cloud", "-o", "name")
		gone := strings.Contains(space.Stderr, "NotFound") && strings.Contains(cluster.Stderr, "NotFound") && left == ""
		return gone, space.Stdout + cluster.Stdout + left
	})
	if got := l.Kubectl(l.Seed(), "-n", chosen, "get", "machines", "-o", "jsonpath={.items[*].metadata.uid}"); got != machines {
		t.Errorf("MIG-20 machines were %q, and are %q", machines, got)
	}
	owned(t, l, l.Seed()) // reconciles the shoot, too
	whole("after the former seed has cleaned up")
	l.Kubectl(shoot, "wait", "node", "--all", "--for=condition=Ready", "--timeout=10m")
	if web := l.TryKubectl(shoot, "rollout", "status", "deployment", "web", "--timeout=10m"); web.Code != 0 && !strings.Contains(web.Stderr, "NotFound") {
		t.Errorf("MIG-20 the pods of a user: %s%s", web.Stdout, web.Stderr)
	}

	if r := l.Run("shoot", "migrate", "chosen", "-n", garden, "--to", "two", "--timeout="+patience.String()); r.Code != 0 {
		t.Fatalf("MIG-15 the shoot cannot move back: %d: %s%s", r.Code, r.Stdout, r.Stderr)
	}
	l.Gardener("shoot", "wait", "chosen", "-n", garden, "--timeout="+patience.String())
	whole("on its seed again")
}

// found hangs the process of a seed, and looks for the backup of shoot chosen by what the garden has.
func found(t *testing.T, l *framework.Landscape, seed string) {
	t.Helper()
	process := 0
	for pid, command := range l.Processes() {
		if strings.Contains(command, " daemon ") && strings.Contains(command, "/seeds/"+seed+" ") {
			process = pid
		}
	}
	if process == 0 {
		t.Fatalf("no process of seed %s in %v", seed, l.Processes())
	}
	if err := syscall.Kill(process, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(process, syscall.SIGCONT) }()
	entry, bucket, _ := strings.Cut(l.Kubectl(l.Garden(), "-n", garden, "get", "backupentries", "-o", `jsonpath={.items[?(@.metadata.ownerReferences[0].name=="chosen")]['metadata.name','spec.bucketName']}`), " ")
	secret := l.Kubectl(l.Garden(), "get", "backupbucket", bucket, "-o", "jsonpath={.status.generatedSecretRef.name}")
	encoded := l.Kubectl(l.Garden(), "-n", "garden", "get", "secret", secret, "-o", "jsonpath={.data.hostPath}")
	folder, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(string(folder), bucket, entry)
	if err := filepath.WalkDir(store, func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(filepath.Base(path), "Full-") {
			store = ""
		}
		return err
	}); err != nil || store != "" {
		t.Errorf("BKP-4 entry %q, bucket %q and secret %q of the garden lead to no full snapshot in %q: %v", entry, bucket, secret, store, err)
	}
}

// inert asks for a second machine on the seed that a shoot was taken from. It is not made: the machine controller that is left there must
// not touch machines.
func inert(t *testing.T, l *framework.Landscape, former string) {
	t.Helper()
	machines := func() []string {
		found := strings.Fields(l.Kubectl(former, "-n", chosen, "get", "machines", "-o", "jsonpath={.items[*].metadata.name}"))
		slices.Sort(found)
		return found
	}
	before := machines()
	pool := strings.TrimSpace(l.Kubectl(former, "-n", chosen, "get", "machinedeployments", "-o", "name"))
	l.Kubectl(former, "-n", chosen, "scale", pool, "--replicas=2")
	l.Eventually(patience, "MIG-20 the second machine is asked for", func() (bool, string) {
		wanted := l.Kubectl(former, "-n", chosen, "get", "machinesets", "-o", "jsonpath={.items[*].spec.replicas}")
		return wanted == "2", wanted
	})
	testwait.Stays(t, 5*time.Second, "MIG-20 machines of the former seed", func() error {
		if now := machines(); !slices.Equal(before, now) {
			return fmt.Errorf("they were %v, and are %v", before, now)
		}
		return nil
	})
}
