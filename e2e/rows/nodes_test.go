package rows

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kubeletConfig is the file that the kubelet of a machine reads, below the directory of the file system of the machine.
const (
	machineRoot   = "var/lib/machine"
	kubeletConfig = machineRoot + "/var/lib/kubelet/config/kubelet"
)

func pools(t *testing.T, f *fixture) {
	var nodes struct {
		Items []struct {
			Metadata struct{ Labels, Annotations map[string]string }
			Spec     struct {
				Taints []struct{ Key, Value, Effect string }
			}
		}
	}
	if err := json.Unmarshal([]byte(f.Kubectl(f.shoot, "get", "nodes", "-l", "worker.gardener.cloud/pool=two", "-o", "json")), &nodes); err != nil {
		t.Fatal(err)
	}
	if len(nodes.Items) != 1 {
		t.Fatalf("%d nodes", len(nodes.Items))
	}
	node := nodes.Items[0]
	if node.Metadata.Labels["example.org/team"] != "rows" || node.Metadata.Annotations["example.org/note"] != "written by a test" {
		t.Errorf("labels %v, annotations %v", node.Metadata.Labels, node.Metadata.Annotations)
	}
	if len(node.Spec.Taints) != 1 || node.Spec.Taints[0].Key != "example.org/rows" || node.Spec.Taints[0].Effect != "PreferNoSchedule" {
		t.Errorf("taints %v", node.Spec.Taints)
	}
}

func kubelets(t *testing.T, f *fixture) {
	for pool, want := range map[string]struct{ pods, has, hasNot string }{
		"one": {"110", "podPidsLimit: 1111", "maxPods: 77"},
		"two": {"77", "maxPods: 77", "podPidsLimit: 1111"},
	} {
		if got := f.get(f.shoot, []string{"get", "nodes", "-l", "worker.gardener.cloud/pool=" + pool}, "{.items[*].status.capacity.pods}"); got != want.pods {
			t.Errorf("a node of pool %s takes %q pods, want %s", pool, got, want.pods)
		}
		if config := f.onMachine(pool, kubeletConfig); !strings.Contains(config, want.has) || strings.Contains(config, want.hasNot) {
			t.Errorf("the kubelet of pool %s has\n%s", pool, config)
		}
	}
}

func trust(t *testing.T, f *fixture) {
	if selector := f.get(f.Garden(), []string{"get", "cloudprofile", "rows"}, "{.spec.seedSelector}"); selector != "" {
		t.Errorf("the profile has a seed selector: %s", selector)
	}
	for _, pool := range []string{"one", "two"} {
		if got := f.onMachine(pool, machineRoot+"/etc/ssl/certs/cloudprofile-ca-bundle.crt"); got != f.bundle {
			t.Errorf("machines of pool %s have %q", pool, got)
		}
	}
}

// onMachine reads a file on the machine of a pool. The file system of the machine is a volume of its pod, which lies in
// the directory of the landscape.
func (f *fixture) onMachine(pool, file string) string {
	pods := f.seed("pods", `{range .items[*]}{.metadata.name} {.metadata.uid}{"\n"}{end}`, "-l", "app=machine")
	for line := range strings.Lines(pods) {
		pod, uid, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(pod, "machine-"+technical+"-"+pool+"-") {
			continue
		}
		root := filepath.Join(f.StateDir, "nodes", "seed", "pods", uid, "volumes", "kubernetes.io~empty-dir", "root")
		content, err := os.ReadFile(filepath.Join(root, strings.TrimPrefix(file, machineRoot)))
		if err != nil {
			return err.Error()
		}
		return string(content)
	}
	return ""
}
