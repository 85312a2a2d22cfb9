// Package tour takes the steps of the README with the built binary as an ordinary user, and looks closely at each. Package documents
// takes them as they stand in the README, as the user of the test.
package tour

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

func TestTourAsOrdinaryUser(t *testing.T) {
	l := framework.New
	if os.Getuid() == 0 { // else the test itself runs as one
		l = framework.NewAsOrdinaryUser
	}
	tour(t, l(t))
}

func tour(t *testing.T, l *framework.Landscape) {
	out := l.Gardener("up")
	for _, want := range []string{"✓ preflight", "✓ etcd", "✓ garden API", "✓ Gardener API", "✓ seed local", "is ready in", "export KUBECONFIG="} {
		if !strings.Contains(out, want) {
			t.Errorf("up does not print %q:\n%s", want, out)
		}
	}
	settled(l)
	t.Run("APP-35 a healthy start logs no errors", func(t *testing.T) { calm(t, l.For(t)) })
	before := l.ServicePorts()
	t.Run("ARC-2 ARC-3 GLT-23 examples become a usable cluster", func(t *testing.T) { createShoot(t, l) })
	shoot := l.Shoot("garden-local", "local")
	t.Run("APP-1 ARC-9 the node has the shoot's version and runs pods", func(t *testing.T) { useShoot(t, l, shoot) })
	t.Run("ARC-10 every cluster knows its identity", func(t *testing.T) { identities(t, l, shoot) })
	t.Run("APP-35 status lists the shoot and what is due", func(t *testing.T) { checkStatus(t, l) })
	t.Run("APP-35 a landscape with a shoot has few inotify instances", func(t *testing.T) { inotifyInstances(t, l.For(t)) })
	t.Run("APP-35 the version of Gardener is a semantic version everywhere", func(t *testing.T) { versions(t, l.For(t)) })
	t.Run("kubectl completes what the garden serves", func(t *testing.T) { complete(t, l) })
	t.Run("clients of Gardener work", func(t *testing.T) { clients(t, l.For(t)) })
	t.Run("APP-35 verbs change a shoot without kubectl", func(t *testing.T) { verbs(t, l.For(t)) })
	t.Run("APP-35 lists tell what changes, and kubeconfigs go where the user wants", func(t *testing.T) { listsAndFiles(t, l.For(t)) })
	t.Run("down stops everything, up brings it back", func(t *testing.T) { downAndUp(t, l) })
	t.Run("ADM-5 GLT-34 deletion needs confirmation and leaves nothing", func(t *testing.T) { deleteShoot(t, l, before) })
	t.Run("APP-2 the daemon has no more files open after other shoots were created and deleted", func(t *testing.T) { openAfterShoots(t, l.For(t)) })
	t.Run("purge leaves nothing", func(t *testing.T) { purge(t, l) })
}

// settled waits for the pods of the seed, which is ready before some of them are made.
func settled(l *framework.Landscape) {
	const timeout = "--timeout=10m"
	provider := []string{"-n", "extension-provider-local", "wait", "deployment", "gardener-extension-provider-local-webhook", timeout}
	l.Kubectl(l.Seed(), append(provider, "--for=create")...)
	l.Kubectl(l.Seed(), append(provider, "--for=condition=Available")...)
	l.Kubectl(l.Seed(), "-n", "garden", "wait", "deployment", "--all", "--for=condition=Available", timeout)
}

func createShoot(t *testing.T, l *framework.Landscape) {
	l.Kubectl(l.Garden(), "apply", "-f", framework.Examples())
	l.Gardener("shoot", "wait", "local", "-n", "garden-local", "--timeout=10m")
	pods := l.Kubectl(l.Seed(), "-n", "shoot--local--local", "get", "pods", "-o", "name")
	for _, want := range []string{"etcd-main-0", "etcd-events-0", "kube-apiserver-", "kube-controller-manager-", "kube-scheduler-", "gardener-resource-manager-", "machine-controller-manager-"} {
		if !strings.Contains(pods, "pod/"+want) {
			t.Errorf("no pod %s in the control plane:\n%s", want, pods)
		}
	}
}

func useShoot(t *testing.T, l *framework.Landscape, shoot string) {
	version := l.Kubectl(l.Garden(), "-n", "garden-local", "get", "shoot", "local", "-o", "jsonpath={.spec.kubernetes.version}")
	nodes := strings.Fields(l.Kubectl(shoot, "get", "nodes", "-o", "jsonpath={.items[*].status.nodeInfo.kubeletVersion}"))
	if len(nodes) == 0 || nodes[0] != "v"+version {
		t.Errorf("nodes report %v, the shoot wants %s", nodes, version)
	}
	l.Kubectl(shoot, "create", "deployment", "web", "--image=nginx")
	l.Kubectl(shoot, "rollout", "status", "deployment/web", "--timeout=10m")
	l.Kubectl(shoot, "get", "all") // fails if kubectl mistakes the kinds of the garden for those of the shoot
	pod := l.Kubectl(shoot, "get", "pods", "-l", "app=web", "-o", "jsonpath={.items[0].metadata.name}")
	if logs := l.Kubectl(shoot, "logs", pod); !strings.Contains(logs, "simulated") {
		t.Errorf("the log of a simulated container does not say so: %q", logs)
	}
	// whoami connects through the front door to the shoot, with the name of the user of the garden
	if who := l.Kubectl(shoot, "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"); !strings.Contains(who, "gardener-admin") {
		t.Errorf("AKC-3: the shoot sees user %q", who)
	}
}

func identities(t *testing.T, l *framework.Landscape, shoot string) {
	seen := map[string]bool{}
	for _, kubeconfig := range []string{l.Garden(), l.Seed(), shoot} {
		id := l.Kubectl(kubeconfig, "-n", "kube-system", "get", "configmap", "cluster-identity", "-o", "jsonpath={.data.cluster-identity}")
		if id == "" || seen[id] {
			t.Errorf("%s has identity %q, which is empty or another cluster's", kubeconfig, id)
		}
		seen[id] = true
	}
}

// status is what "gardener status -o json" tells.
type status struct {
	Ready  bool
	Shoots []struct {
		Name  string
		Ready bool
		Use   struct {
			MemoryBytes uint64
			CPUSeconds  float64
		}
	}
	Due []due
}

type due struct{ Object, What string }

func statusOf(t *testing.T, l *framework.Landscape) (s status) {
	t.Helper()
	l.Status(&s)
	return s
}

func checkStatus(t *testing.T, l *framework.Landscape) {
	var status status
	l.Eventually(time.Minute, "APP-2 the shoot is ready, and what its control plane and node use is told", func() (bool, string) {
		status = statusOf(t, l)
		if !status.Ready || len(status.Shoots) != 1 || !status.Shoots[0].Ready {
			return false, fmt.Sprintf("%+v", status)
		}
		use := status.Shoots[0].Use
		return use.MemoryBytes >= 100<<20 && use.CPUSeconds >= 1, fmt.Sprintf("%+v", use)
	})
	if table := l.StatusTable(); !strings.Contains(table, "garden-local/local") {
		t.Errorf("the shoot is missing:\n%s", table)
	}
	if len(status.Due) > 0 {
		t.Errorf("APP-35 the example leaves something to do: %+v", status.Due)
	}
}

func versions(t *testing.T, l *framework.Landscape) {
	var own struct{ Gardener string }
	if err := json.Unmarshal([]byte(l.Gardener("version", "-o", "json")), &own); err != nil {
		t.Fatal(err)
	}
	if _, err := version.ParseSemantic(own.Gardener); err != nil {
		t.Errorf("version %q: %v", own.Gardener, err)
	}
	for _, object := range [][]string{{"seed", "local"}, {"-n", "garden-local", "shoot", "local"}} {
		if got := l.Kubectl(l.Garden(), append(append([]string{"get"}, object...), "-o", "jsonpath={.status.gardener.version}")...); got != own.Gardener {
			t.Errorf("%s has the version %q, not %q", strings.Join(object, " "), got, own.Gardener)
		}
	}
	if table := l.Kubectl(l.Garden(), "get", "seeds"); !strings.Contains(table, own.Gardener) {
		t.Errorf("the column VERSION does not show %q:\n%s", own.Gardener, table)
	}
}

func listsAndFiles(t *testing.T, l *framework.Landscape) {
	for args, want := range map[string]string{
		"__complete shoot describe -n ":           "garden-local",
		"__complete shoot create x --kubernetes ": "1.3",
		"__complete --landscape= ":                "up",
		"shoot describe local -o yaml":            "technicalID: shoot--local--local",
		"kubeconfig garden -o json":               `"kind":"Config"`,
	} {
		fields := strings.Fields(args)
		if strings.HasSuffix(args, " ") {
			fields = append(fields, "")
		}
		if out := l.Gardener(fields...); !strings.Contains(out, want) {
			t.Errorf("gardener %s does not print %q:\n%s", args, want, out)
		}
	}
	file := filepath.Join(l.Dir, "merged.yaml")
	if out := l.Gardener("kubeconfig", "garden", "--merge", file, "--no-switch"); strings.Contains(out, "current") {
		t.Errorf("--no-switch: %s", out)
	}
	if out := l.Gardener("kubeconfig", "shoot", "local", "--merge", file); !strings.Contains(out, "made it the current one") {
		t.Errorf("--merge: %s", out)
	}
	if nodes := l.Kubectl(file, "get", "nodes", "-o", "name"); !strings.Contains(nodes, "node/") {
		t.Errorf("the merged file leads to %q", nodes)
	}
}

func complete(t *testing.T, l *framework.Landscape) {
	if out := l.Gardener("__complete", "kubectl", "get", "shootst"); !strings.Contains(out, "shootstates.core.gardener.cloud") {
		t.Errorf("kinds that start with shootst: %q", out)
	}
	if out := l.Gardener("__complete", "kubectl", "get", "namespaces", "garden-l"); !strings.Contains(out, "garden-local") {
		t.Errorf("namespaces that start with garden-l: %q", out)
	}
}

func downAndUp(t *testing.T, l *framework.Landscape) {
	shoots, events := l.Start("shoot", "list", "--watch"), l.Start("events", "--watch")
	shoots.Says(time.Minute, "garden-local")
	events.Says(time.Minute, "LAST SEEN")
	l.Gardener("down")
	for _, watch := range []*framework.Background{shoots, events} {
		if code := watch.Ends(time.Minute); code != 3 || !strings.Contains(watch.Output(), "is not running") {
			t.Errorf("APP-35 a watch of a landscape that stops ends with %d, want 3:\n%s", code, watch.Output())
		}
	}
	if left := l.Processes(); len(left) > 0 {
		t.Errorf("processes after down: %v", left)
	}
	if r := l.Run("status"); r.Code != 3 {
		t.Errorf("status of a stopped landscape: exit code %d, want 3", r.Code)
	}
	l.Gardener("up")
	l.Gardener("shoot", "wait", "local", "-n", "garden-local", "--timeout=10m")
	shoot := l.Shoot("garden-local", "local")
	l.Eventually(time.Minute, "the workload of the shoot is back", func() (bool, string) {
		r := l.TryKubectl(shoot, "get", "deployment", "web", "-o", "jsonpath={.status.readyReplicas}")
		return r.Stdout == "1", r.Stdout + r.Stderr
	})
}

func deleteShoot(t *testing.T, l *framework.Landscape, before []string) {
	if r := l.TryKubectl(l.Garden(), "-n", "garden-local", "delete", "shoot", "local"); r.Code == 0 || !strings.Contains(r.Stderr, "confirmation.gardener.cloud/deletion") {
		t.Fatalf("deletion without confirmation: code %d, %s", r.Code, r.Stderr)
	}
	for _, dir := range shootDirs {
		if len(filesOfShoot(t, filepath.Join(l.StateDir, dir))) == 0 {
			t.Errorf("the shoot has no files in %s, so nothing shows that its deletion removes them", dir)
		}
	}
	l.Gardener("shoot", "delete", "local", "-n", "garden-local", "--yes", "--timeout=10m")
	for _, kind := range []string{"namespaces", "persistentvolumes", "clusters.extensions.gardener.cloud", "backupentries.extensions.gardener.cloud"} {
		if left := l.Kubectl(l.Seed(), "get", kind, "-o", "name"); strings.Contains(left, "shoot--local--local") {
			t.Errorf("%s are left in the seed:\n%s", kind, left)
		}
	}
	for _, kind := range []string{"backupentries", "shootstates", "internalsecrets"} {
		if left := l.Kubectl(l.Garden(), "-n", "garden-local", "get", kind, "-o", "name"); left != "" {
			t.Errorf("%s are left in the garden:\n%s", kind, left)
		}
	}
	for _, name := range strings.Fields(l.Kubectl(l.Garden(), "-n", "garden-local", "get", "secrets,configmaps", "-o", "name")) {
		if _, name, _ := strings.Cut(name, "/"); strings.HasPrefix(name, "local.") {
			t.Errorf("%s is left in the garden", name)
		}
	}
	for pid, text := range l.Processes() {
		if strings.Contains(text, " component ") {
			t.Errorf("process %d is left: %s", pid, text)
		}
	}
	l.Eventually(2*time.Minute, "files of the shoot are gone, logs with the kubelet's next collection of garbage", func() (bool, string) {
		var left []string
		for _, dir := range shootDirs {
			left = append(left, filesOfShoot(t, filepath.Join(l.StateDir, dir))...)
		}
		return len(left) == 0, strings.Join(left, "\n")
	})
	if after := l.ServicePorts(); !slices.Equal(before, after) {
		t.Errorf("ports of Services: %v before, %v after the shoot", before, after)
	}
}

// shootDirs are the directories of a landscape that contain files of shoots.
var shootDirs = []string{"volumes", "backups", "nodes", "dns"}

// filesOfShoot returns the paths below dir that contain the name of the shoot.
func filesOfShoot(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // files may vanish meanwhile
			return err
		}
		if strings.Contains(filepath.Base(path), "local--local") || strings.Contains(filepath.Base(path), "local.local.") {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func purge(t *testing.T, l *framework.Landscape) {
	if out := l.Gardener("down", "--purge", "--yes"); !strings.Contains(out, "are removed from "+filepath.Join(l.Dir, "merged.yaml")) {
		t.Errorf("APP-35 the clusters of the landscape stay in a file:\n%s", out)
	}
	if _, err := os.Stat(l.StateDir); !os.IsNotExist(err) {
		t.Errorf("the state directory is left: %v", err)
	}
	entries, err := filepath.Glob(filepath.Join(l.Dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		switch name := filepath.Base(entry); {
		case name == "landscape.yaml", name == "shoot-local.yaml", name == "shoot-verbs.yaml", name == "gardener", name == ".kube": // made by test and kubectl
		default:
			t.Errorf("%s is left", entry)
		}
	}
}
