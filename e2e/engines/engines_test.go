// Package engines runs landscapes on kind through their life on container engines other than Docker. Package
// e2e/kind has tested everything else with Docker; this package only tests what depends on the engine. It takes long
// and installs engines, so it only runs on request: make test-engines.
package engines

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// Variables of the environment.
const (
	variable = "GARDENER_TEST_ENGINES" // the engines to test
	short    = "GARDENER_TEST_SHORT"   // if set, only whether the machine is found fit, which needs no real node image
)

// The shoot of "gardener shoot example".
const (
	project   = "garden-local"
	shootName = "local"
)

// patience bounds each command. Machines that run this test have little else to do, but may be slow.
const patience = 25 * time.Minute

// fixture is one landscape on one engine.
type fixture struct {
	*framework.Landscape
	*engine
	name string
	// volumes and networks are those that the engine had before.
	volumes, networks []string
}

func TestEngines(t *testing.T) {
	names := strings.Fields(os.Getenv(variable))
	if len(names) == 0 {
		t.Skipf("not asked for: %s names no engine (make test-engines)", variable)
	}
	if os.Getenv(short) != "" {
		for _, name := range names {
			t.Run(name, func(t *testing.T) { fit(t, name) })
		}
		return
	}
	image := nodeImage(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) { life(t, loaded(t, name, image), image) })
	}
}

// life runs all steps. It stops at the first failed step.
func life(t *testing.T, e *engine, image string) {
	f := &fixture{engine: e, name: fmt.Sprintf("e2e-%04x", rand.IntN(1<<16)), volumes: e.run(t, "volume", "ls", "--quiet"), networks: e.run(t, "network", "ls", "--format", "{{.Name}}")}
	f.Landscape = framework.NewKind(t, f.name, image, nil, e.env...)
	f.Patience = patience
	if e.name == "nerdctl" && cgroupsV1() {
		t.Run("what kind does not support is refused with the cure, before anything is made", func(t *testing.T) { refused(t, f) })
		return
	}
	for _, s := range []struct {
		name string
		test func(*testing.T, *fixture)
	}{
		{"the machine is found fit, and it is told how", examine},
		{"ARC-7 a landscape comes up and tells what it runs on", up},
		{"GLT-31 a shoot with a node becomes ready", create},
		{"VPN-3 a container runs and its output is read", logs},
		{"a landscape that is down has no running container", down},
		{"ARC-7 a landscape comes up again at its engine, with its shoot", upAgain},
		{"ARC-7 a purge at the engine of the landscape leaves nothing", purge},
	} {
		begin := time.Now()
		ok := t.Run(s.name, func(t *testing.T) {
			sub := *f
			sub.Landscape = f.For(t)
			s.test(t, &sub)
		})
		t.Logf("%6.1f s  %s", time.Since(begin).Seconds(), s.name)
		if !ok {
			t.Fatalf("%q failed, what follows needs it", s.name)
		}
	}
}

// fit installs and starts the engine, and asks the binary about the machine with it.
func fit(t *testing.T, name string) {
	prepareHost(t)
	e := start(t, name)
	f := &fixture{engine: e, name: fmt.Sprintf("e2e-%04x", rand.IntN(1<<16))}
	f.Landscape = framework.NewKind(t, f.name, smallImage(t, e), nil, e.env...)
	t.Run("the machine is found fit, and it is told how", func(t *testing.T) {
		f.Landscape = f.For(t)
		examine(t, f)
	})
}

// cgroupsV1 reports whether the machine has cgroups of version 1.
func cgroupsV1() bool {
	_, err := os.Stat("/sys/fs/cgroup/cgroup.controllers")
	return err != nil
}

func refused(t *testing.T, f *fixture) {
	r := f.Run("up")
	t.Log(r.Stderr)
	if r.Code == 0 || !strings.Contains(r.Stderr, "cgroups: version 1") || !strings.Contains(r.Stderr, "use docker or podman") {
		t.Errorf("exit code %d, want a refusal that names the cure", r.Code)
	}
	if made := f.containers(t, false); len(made) > 0 {
		t.Errorf("containers were made: %v", made)
	}
	if entries, err := os.ReadDir(f.StateDir); err == nil {
		t.Errorf("there is a state directory: %v", entries)
	}
}

func examine(t *testing.T, f *fixture) {
	out := f.Gardener("doctor")
	t.Log(out)
	if !regexp.MustCompile(`(?m)^container engine +ok +` + f.engine.name + ` [0-9]`).MatchString(out) {
		t.Error("the engine is not told")
	}
	if strings.Contains(out, " problem ") {
		t.Error("something is wrong with the engine")
	}
}

func up(t *testing.T, f *fixture) {
	out := f.Gardener("up")
	t.Log(out)
	if !strings.Contains(out, "container engine   "+f.engine.name+" ") {
		t.Error("the engine is not told")
	}
	if status := f.StatusTable(); !strings.Contains(status, "container engine   "+f.engine.name+" (") {
		t.Errorf("the engine is not told by the status:\n%s", status)
	}
}

func create(t *testing.T, f *fixture) {
	f.Kubectl(f.Garden(), "apply", "-f", f.File("shoot.yaml", f.Gardener("shoot", "example")))
	t.Log(f.ready())
	f.Shoot(project, shootName)
	f.awaitNode()
	if running := f.containers(t, true); len(running) != 2 {
		t.Errorf("containers %v, want the seed and a node", running)
	}
}

// ready waits until the shoot matches its specification and is healthy.
func (f *fixture) ready() string {
	return f.Gardener("shoot", "wait", shootName, "-n", project, "--timeout=20m")
}

// awaitNode waits until there is exactly one ready node.
func (f *fixture) awaitNode() {
	f.Eventually(10*time.Minute, "the shoot has one ready node", func() (bool, string) {
		r := f.TryKubectl(f.kubeconfig(), "get", "nodes", "--request-timeout=10s", "-o", `jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status} {end}`)
		return strings.TrimSpace(r.Stdout) == "True", r.Stdout + r.Stderr
	})
}

func logs(t *testing.T, f *fixture) {
	const said = "hello from a real container"
	f.Kubectl(f.kubeconfig(), "run", "hello", "--image="+testImage, "--restart=Never", "--", "print", said)
	f.Eventually(5*time.Minute, "the pod's output is read", func() (bool, string) {
		r := f.TryKubectl(f.kubeconfig(), "logs", "hello", "--request-timeout=10s")
		return r.Stdout == said+"\n", r.Stdout + r.Stderr
	})
	f.Kubectl(f.kubeconfig(), "delete", "pod", "hello", "--wait=false")
}

func down(t *testing.T, f *fixture) {
	f.Gardener("down", "--timeout=10m")
	if running := f.containers(t, true); len(running) > 0 {
		t.Errorf("containers still run: %v", running)
	}
	if kept := f.containers(t, false); len(kept) != 2 {
		t.Errorf("containers %v, want the seed and a node to be kept", kept)
	}
	if left := f.Processes(); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}

// upAgain only passes the path of the engine's programs. The landscape has recorded the rest.
func upAgain(t *testing.T, f *fixture) {
	f.Env = slices.DeleteFunc(slices.Clone(f.Env), func(line string) bool { return !strings.HasPrefix(line, "PATH=") })
	f.Gardener("up")
	f.ready()
	f.awaitNode()
}

// purge sets an environment that contradicts the recorded engine.
func purge(t *testing.T, f *fixture) {
	f.Env = append(f.Env, "KIND_EXPERIMENTAL_PROVIDER=docker")
	r := f.Run("down", "--purge", "--yes", "--timeout=10m")
	if err := r.Check("purge"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Stderr, "KIND_EXPERIMENTAL_PROVIDER=docker is ignored") {
		t.Errorf("nothing is said of the engine that is not used: %s", r.Stderr)
	}
	if left := f.containers(t, false); len(left) > 0 {
		t.Errorf("containers are left: %v", left)
	}
	for _, network := range f.engine.run(t, "network", "ls", "--format", "{{.Name}}") {
		if !slices.Contains(f.networks, network) {
			t.Errorf("network %s is left", network)
		}
	}
	for _, volume := range f.engine.run(t, "volume", "ls", "--quiet") {
		if !slices.Contains(f.volumes, volume) {
			t.Errorf("volume %s is left", volume)
		}
	}
	if entries, err := os.ReadDir(f.StateDir); err == nil {
		t.Errorf("the state directory is left: %v", entries)
	}
	if left := f.Processes(); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}
