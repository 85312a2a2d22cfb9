package kind

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
)

// Where the shoot of the test lives in the garden, and its control plane in the seed.
const (
	project   = "garden-local"
	shootName = "local"
	technical = "shoot--local--local"
)

// interval is the pause between checks. Each check is a process on a busy machine.
const interval = 2 * time.Second

// fixture is shared by all steps.
type fixture struct {
	*framework.Landscape
	name string // of the landscape
	// hadNetwork says whether Docker had kind's network before; volumes are those the landscape has had.
	hadNetwork bool
	volumes    map[string]bool
	reader     *follow.Reader // of the documents
}

// step is one step. After a failed step the test stops, unless goOn is set.
type step struct {
	name string
	test func(*testing.T, *fixture)
	goOn bool
}

// TestKind takes the steps that only kind can show. It takes all with framework.Long, which may be more than an hour on two cores: each further control plane
// and each further cluster costs processor time until it goes.
func TestKind(t *testing.T) {
	needDocker(t)
	name := fmt.Sprintf("e2e-%04x", rand.IntN(1<<16))
	f := &fixture{name: name, volumes: map[string]bool{}, hadNetwork: slices.Contains(docker(t, "network", "ls", "--format", "{{.Name}}"), "kind")}
	f.Landscape = framework.NewKind(t, name, prepared.newImage, map[string]string{oldVersion: prepared.oldImage}, prepared.dockerHost)
	addHandler(t, f.Landscape)
	f.reader = newReader(t, f)
	t.Cleanup(func() {
		if t.Failed() {
			f.dump(t)
		}
	})
	steps := [][]step{beginning, backups, work, dnsCache, policies, charts, calls, tunnel, reach, onlyRotation, documents, deletion, ending}
	if framework.Long() {
		steps = [][]step{
			beginning, backups, owners, work, dnsCache, policies, charts, calls, tunnel, reach, exposure, otherTunnel, images, nodes, rotation,
			furtherSeeds, operated, documents, moves, deletion, removal, ending,
		}
	}
	for _, s := range slices.Concat(steps...) {
		begin := time.Now()
		ok := t.Run(s.name, func(t *testing.T) { s.test(t, f.within(t)) })
		t.Logf("%6.1f s  %s", time.Since(begin).Seconds(), s.name)
		if !ok && !s.goOn {
			t.Fatalf("%q failed, what follows needs it", s.name)
		}
	}
}

var beginning = []step{
	{"a landscape with a kind cluster comes up", up, false},
	{"the seed is ready", seedReady, false},
	{"GLT-31 a shoot with two nodes becomes ready", create, false},
	{"OSC-3 CTR-2 CTR-4 NOD-2 nodes are what their configuration says", configured, true},
	{"APP-19 nobody but the machine controller of a shoot orders a machine", orderMachine, true},
}

// within is the fixture for a subtest, which fails on its own.
func (f *fixture) within(t *testing.T) *fixture {
	sub := *f
	sub.Landscape = f.For(t)
	return &sub
}

func up(t *testing.T, f *fixture) {
	first := f.steps(t, begins)[:1]
	first[0].Output = slices.Concat([]string{"…"}, first[0].Output, []string{"…"}) // warnings about the machine, and what to do next
	f.reader.Follow(t, "a landscape on kind", first)
	if found := docker(t, "ps", "--filter", "name="+f.seedContainer(), "--format", "{{.Names}}"); len(found) != 1 {
		t.Errorf("containers of the seed: %v", found)
	}
	f.noteVolumes(t)
	policy, err := os.ReadFile(testdata(t, "collections.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f.Kubectl(f.Seed(), "apply", "-f", f.File("collections.yaml", strings.ReplaceAll(string(policy), "VALUE", framework.RareCollections)))
}

func seedReady(_ *testing.T, f *fixture) {
	f.await(time.Minute, "the seed is ready", func() (bool, string) {
		r := f.TryKubectl(f.Garden(), "get", "seed", "local", "-o", `jsonpath={range .status.conditions[*]}{.type}={.status} {end}`)
		return strings.Contains(r.Stdout, "GardenletReady=True") && !strings.Contains(r.Stdout, "=False"), r.Stdout + r.Stderr
	})
}

// create adds the older Kubernetes version to the CloudProfile, as an operator does, and creates the shoot.
func create(t *testing.T, f *fixture) {
	f.Kubectl(f.Garden(), "patch", "cloudprofile", "local", "--type=merge", "-p", fmt.Sprintf(
		`{"spec":{"kubernetes":{"versions":[{"version":%q,"classification":"supported"},{"version":%q,"classification":"supported"}]}}}`, newVersion, oldVersion))
	steps := f.steps(t, begins)[1:]
	twice(t, steps, "docker ps", 1) // the shoot has two nodes
	twice(t, steps, "kubectl get nodes", 1)
	f.reader.Follow(t, "a shoot on kind", steps)
	f.Shoot(project, shootName)
	f.kube("delete", "pod", "hello") // of the document
	f.awaitNodes(t, 2, oldVersion)
	f.noteVolumes(t)
}

// kube is kubectl in the shoot; it must succeed.
func (f *fixture) kube(args ...string) string { return f.Kubectl(f.kubeconfig(), args...) }

// kubeconfig is the file that Shoot has written.
func (f *fixture) kubeconfig() string { return filepath.Join(f.Dir, "shoot-"+shootName+".yaml") }

// ready waits until the shoot matches its specification and is healthy.
func (f *fixture) ready() {
	f.Gardener("shoot", "wait", shootName, "-n", project, "--timeout=10m")
}

// await is Eventually with a longer interval, to save processor time.
func (f *fixture) await(timeout time.Duration, what string, check func() (bool, string)) {
	next := time.Time{}
	ok, said := false, ""
	f.Eventually(timeout, what, func() (bool, string) {
		if now := time.Now(); now.After(next) {
			ok, said = check()
			next = time.Now().Add(interval)
		}
		return ok, said
	})
}

// nodeNames are the names of the ready nodes of this version, or of all ready nodes if the version is empty.
func (f *fixture) nodeNames(version string) []string {
	var r framework.Result
	f.await(5*time.Minute, "the nodes are listed", func() (bool, string) {
		r = f.TryKubectl(f.kubeconfig(), "get", "nodes", "--request-timeout=10s", "-o",
			`jsonpath={range .items[*]}{.metadata.name} {.status.nodeInfo.kubeletVersion} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}`)
		return r.Code == 0, r.Stderr
	})
	var names []string
	for _, line := range strings.Split(r.Stdout, "\n") {
		fields := strings.Fields(line)
		if len(fields) > 0 && (version == "" || slices.Equal(fields[1:], []string{"v" + version, "True"})) {
			names = append(names, fields[0])
		}
	}
	slices.Sort(names)
	return names
}

// awaitNodes waits until there are n nodes, all ready and of the version, and n containers.
func (f *fixture) awaitNodes(t *testing.T, n int, version string) {
	f.await(12*time.Minute, fmt.Sprintf("%d nodes of %s", n, version), func() (bool, string) {
		all, ready, machines := f.nodeNames(""), f.nodeNames(version), f.machines(t)
		return len(all) == n && len(ready) == n && len(machines) == n, fmt.Sprintf("nodes %v, ready %v, containers %v", all, ready, machines)
	})
}

func testdata(t *testing.T, name string) string {
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// apply applies a file of testdata with words replaced.
func (f *fixture) apply(t *testing.T, name string, words ...string) {
	text, err := os.ReadFile(testdata(t, name))
	if err != nil {
		t.Fatal(err)
	}
	f.kube("apply", "-f", f.File(name, strings.NewReplacer(words...).Replace(string(text))))
}

// dump prints the state of the shoot and its nodes after a failure; the framework prints that of garden and seed.
func (f *fixture) dump(t *testing.T) {
	for _, look := range []struct {
		kubeconfig string
		args       []string
	}{
		{f.Garden(), []string{"get", "shoot", shootName, "-n", project, "-o", "jsonpath={.status.lastOperation}{.status.lastErrors}{.status.conditions}"}},
		{f.Seed(), []string{"get", "machines,machinesets", "-n", technical, "-o", "wide"}},
		{f.Seed(), []string{"get", "events", "-n", technical, "--sort-by=.lastTimestamp", "--field-selector=type=Warning"}},
		{f.Seed(), []string{"logs", "-n", technical, "deployment/machine-controller-manager", "--tail=20"}},
		{f.Seed(), []string{"logs", "-n", technical, "deployment/vpn-seed-server", "--tail=20"}},
		{f.kubeconfig(), []string{"get", "nodes,pods", "-A", "-o", "wide", "--request-timeout=10s"}},
		{f.kubeconfig(), []string{"get", "events", "-A", "--sort-by=.lastTimestamp", "--field-selector=type=Warning", "--request-timeout=10s"}},
	} {
		r := f.TryKubectl(look.kubeconfig, look.args...)
		t.Logf("kubectl %s\n%s%s", strings.Join(look.args, " "), tail(r.Stdout), tail(r.Stderr))
	}
	t.Logf("containers: %v", f.containers(t))
	for _, machine := range f.machines(t) {
		out, _ := exec.Command("docker", "exec", machine, "journalctl", "--no-pager", "-n", "15", "-u", "gardener-node-*", "-u", "kubelet").CombinedOutput() //nolint:gosec // the test chooses the name
		t.Logf("%s: journal\n%s", machine, tail(string(out)))
	}
}

func tail(text string) string { return text[max(0, len(text)-4000):] }
