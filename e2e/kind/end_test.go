package kind

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
)

var deletion = []step{
	{"a shoot is deleted with its containers", deleteShoot, false},
	{"BKP-6 the backups of a deleted shoot are deleted", noBackups, true},
}

var ending = []step{
	{"a landscape that is down has no running container", down, false},
	{"APP-4 a seed whose container was removed is not made again without a word", lostContainer, true},
	{"ARC-7 a landscape comes up again as it was, at its own engine", upAgain, false},
	{"ARC-7 a purge at the engine of the landscape leaves nothing", purge, true},
	{"APP-36 what is left of a landscape is removed by hand, as documented", removeByHand, true},
}

func deleteShoot(t *testing.T, f *fixture) {
	f.Gardener("shoot", "delete", shootName, "-n", project, "--yes", "--timeout=10m")
	f.await(5*time.Minute, "the shoot of the exposure class is gone, too", func() (bool, string) {
		left := f.Kubectl(f.Garden(), "-n", project, "get", "shoots", "-o", "name")
		return left == "", left
	})
	if left := docker(t, "ps", "-a", "--filter", "label=gardener.cloud/landscape="+f.name, "--filter", "label=gardener.cloud/machine", "--format", "{{.Names}}"); len(left) > 0 {
		t.Errorf("containers are left: %v", left)
	}
	if r := f.TryKubectl(f.Seed(), "get", "namespace", technical); r.Code == 0 {
		t.Errorf("the namespace in the seed is left: %s", r.Stdout)
	}
}

func down(t *testing.T, f *fixture) {
	f.Gardener("down")
	if left := f.Processes(); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if running := docker(t, "ps", "--filter", "name="+f.name, "--format", "{{.Names}}"); len(running) > 0 {
		t.Errorf("containers still run: %v", running)
	}
	if kept := docker(t, "ps", "-a", "--filter", "name="+f.seedContainer(), "--format", "{{.Names}}"); len(kept) != 1 {
		t.Errorf("the seed is not kept: %v", kept)
	}
}

// upAgain does not say where Docker is, because the landscape has recorded it.
func upAgain(t *testing.T, f *fixture) {
	f.Env = nil
	f.forgetEngine()
	f.reader.Follow(t, "README.md", follow.Steps(t, "README.md", "e2e/kind"))
	seedReady(t, f)
}

// lostContainer starts the landscape while the container of its seed is not to be found. It leaves the landscape down.
func lostContainer(t *testing.T, f *fixture) {
	away := f.name + "-away"
	docker(t, "rename", f.seedContainer(), away)
	r := f.Run("up")
	docker(t, "rename", away, f.seedContainer())
	want := fmt.Sprintf("container %s of kind cluster %s: it was removed, and the data of the cluster with it", f.seedContainer(), strings.TrimSuffix(f.seedContainer(), "-control-plane"))
	if r.Code != 7 || !strings.Contains(r.Stderr, want) || !strings.Contains(r.Stderr, "(GRD-701)") || !strings.Contains(r.Stderr, `"gardener up --replace-seed local"`) {
		t.Errorf("exit code %d: %s", r.Code, r.Stderr)
	}
	if left := f.Processes(); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if r := f.Run("up", "--replace-seed=local", "--replace-seed=nothing"); r.Code != 2 || !strings.Contains(r.Stderr, `seed "nothing" has no kind cluster of this landscape`) {
		t.Errorf("exit code %d: %s", r.Code, r.Stderr)
	}
}

// purge sets an environment that contradicts the recorded engine, as the document does.
func purge(t *testing.T, f *fixture) {
	f.noteVolumes(t)
	purgeAsDocumented(t, f)
	if left := f.containers(t); len(left) > 0 {
		t.Errorf("containers are left: %v", left)
	}
	if !f.hadNetwork && slices.Contains(docker(t, "network", "ls", "--format", "{{.Name}}"), "kind") {
		if others := docker(t, "ps", "-a", "--filter", "network=kind", "--format", "{{.Names}}"); len(others) == 0 {
			t.Error("kind's network is left")
		}
	}
	f.Eventually(20*time.Second, "volumes are gone", func() (bool, string) {
		for _, volume := range docker(t, "volume", "ls", "--quiet") {
			if f.volumes[volume] {
				return false, volume
			}
		}
		return true, ""
	})
	if entries, err := os.ReadDir(f.StateDir); err == nil {
		t.Errorf("the state directory is left: %v", entries)
	}
	if left := f.Processes(); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}
