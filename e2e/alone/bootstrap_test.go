package alone

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// runtimeCluster is a cluster whose only node runs no pods, and a shell in whose directory its kubeconfig is runtime.yaml. Namespaces that
// are deleted go.
type runtimeCluster struct {
	*testenv.Env
	client kubernetes.Interface
	dir    string
	path   string
}

func newRuntimeCluster(t *testing.T) runtimeCluster {
	t.Helper()
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	env, err := testenv.Start(testenv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(env.Stop)
	dir := t.TempDir()
	c := runtimeCluster{Env: env, client: kubernetes.NewForConfigOrDie(env.Config), dir: dir, path: dir + ":" + os.Getenv("PATH")}
	kubeconfig, err := os.ReadFile(env.Kubeconfig)
	if err := errors.Join(err, os.Symlink(binary, filepath.Join(dir, "gardener"))); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "runtime.yaml"), string(kubeconfig))
	err = env.StartComponent("kube-controller-manager", "--kubeconfig="+env.Kubeconfig, "--authentication-kubeconfig="+env.Kubeconfig, "--authorization-kubeconfig="+env.Kubeconfig,
		"--leader-elect=false", "--controllers=namespace-controller", "--bind-address="+env.Address, "--secure-port="+free(t),
		"--tls-cert-file="+filepath.Join(env.Dir, "server.crt"), "--tls-private-key-file="+filepath.Join(env.Dir, "server.key"))
	if err != nil {
		t.Fatal(err)
	}
	node, err := c.client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}, Spec: corev1.NodeSpec{PodCIDR: "10.1.0.0/24"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	node.Spec.Taints = nil
	if node, err = c.client.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	node.Status = corev1.NodeStatus{
		NodeInfo: corev1.NodeSystemInfo{Architecture: "amd64"}, Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi")},
	}
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast", Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}}, Provisioner: "example.org/fast"}
	_, err = c.client.CoreV1().Nodes().UpdateStatus(t.Context(), node, metav1.UpdateOptions{})
	_, other := c.client.StorageV1().StorageClasses().Create(t.Context(), class, metav1.CreateOptions{})
	if err := errors.Join(err, other); err != nil {
		t.Fatal(err)
	}
	return c
}

// run runs a command in the shell.
func (c runtimeCluster) run(ctx context.Context, t *testing.T, command string) (stdout, stderr string, code int) {
	t.Helper()
	shell := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", command)
	var out, err bytes.Buffer
	shell.Dir, shell.Stdout, shell.Stderr = c.dir, &out, &err
	shell.Env = append(os.Environ(), "PATH="+c.path, "HOME="+c.dir)
	failed := shell.Run()
	if exit, is := errors.AsType[*exec.ExitError](failed); is {
		return out.String(), err.String(), exit.ExitCode()
	} else if failed != nil {
		t.Fatal(failed)
	}
	return out.String(), err.String(), 0
}

// succeeds is run for a command that must succeed.
func (c runtimeCluster) succeeds(t *testing.T, command string) string {
	t.Helper()
	stdout, stderr, code := c.run(t.Context(), t, command)
	if code != 0 {
		t.Fatalf("%s: exit code %d\n%s%s", command, code, stdout, stderr)
	}
	return stdout
}

// fails is run for a command that must fail in this way.
func (c runtimeCluster) fails(t *testing.T, command string, want int, text string) {
	t.Helper()
	if stdout, stderr, code := c.run(t.Context(), t, command); code != want || !strings.Contains(stdout+stderr, text) {
		t.Errorf("%s: exit code %d, want %d with %q\n%s%s", command, code, want, text, stdout, stderr)
	}
}

// TestBootstrap installs and removes a garden on a cluster whose node runs nothing. The operator is a process beside it, and gets as far as
// the first component.
func TestBootstrap(t *testing.T) {
	c := newRuntimeCluster(t)
	status := follow.Example(t, "gardener bootstrap status --kubeconfig runtime.yaml")[0].Command
	kubeconfig := follow.Example(t, "gardener bootstrap kubeconfig --kubeconfig runtime.yaml > garden.yaml")[0].Command
	at := follow.Example(t, "gardener bootstrap kubeconfig --kubeconfig runtime.yaml --server https://127.0.0.1:8443 > garden.yaml")[0].Command
	look := follow.Example(t, "gardener bootstrap --kubeconfig runtime.yaml --domain garden.example.org --image registry.example.org/gardener:v1 --dry-run")[0].Command
	install := follow.Example(t, "gardener bootstrap --kubeconfig runtime.yaml --domain garden.example.org --image registry.example.org/gardener:v1")[0].Command
	remove := follow.Example(t, "gardener bootstrap remove --kubeconfig runtime.yaml --yes")[0].Command
	before := c.succeeds(t, everything)

	t.Run("APP-25 mistakes in the command change nothing", func(t *testing.T) {
		c.fails(t, "gardener bootstrap --kubeconfig runtime.yaml --image a", 2, "needs the domain")
		c.fails(t, "gardener bootstrap --kubeconfig runtime.yaml --domain a.example.org", 2, "need the image of this binary")
		c.fails(t, "gardener bootstrap --kubeconfig nowhere.yaml --domain a.example.org --image a", 2, "read the kubeconfig of the runtime cluster")
		c.fails(t, status, 6, "the cluster has no Garden")
		c.fails(t, kubeconfig, 6, "no kubeconfig yet")
		c.fails(t, "gardener bootstrap remove --kubeconfig runtime.yaml", 2, "with all its data")
		c.fails(t, install+" --storage-class none", 1, "GRD-115")
		c.same(t, before)
	})
	t.Run("APP-25 a dry run prints every object and changes nothing", func(t *testing.T) {
		printed := c.succeeds(t, look)
		for _, text := range []string{"kind: Namespace", "name: gardens.operator.gardener.cloud", "kind: Deployment", "kind: Garden", "- 10.1.0.0/24", "- name: garden.example.org"} {
			if !strings.Contains(printed, text) {
				t.Errorf("%q is not printed", text)
			}
		}
		c.same(t, before)
	})
	t.Run("APP-25 nodes that do not run the image are noticed before anything is installed", func(t *testing.T) {
		c.fails(t, install+" --timeout 3s", 5, "the pod gardener-bootstrap-image-amd64 does not run")
		if left := c.succeeds(t, "gardener kubectl --kubeconfig runtime.yaml get pods,crds -A -o name"); left != "" {
			t.Errorf("left: %s", left)
		}
	})
	applied := func(t *testing.T) {
		t.Helper()
		c.succeeds(t, look+" > all.yaml")
		testwait.For(t, time.Minute, "all objects are applied", func() error { // kinds are served a moment after their definitions
			_, stderr, code := c.run(t.Context(), t, "gardener kubectl --kubeconfig runtime.yaml apply --server-side -f all.yaml")
			if code != 0 {
				return errors.New(stderr)
			}
			return nil
		})
	}
	t.Run("APP-25 what a dry run prints can be applied, and a removal leaves nothing of it", func(t *testing.T) {
		applied(t)
		c.fails(t, status, 1, "the operator is starting")
		c.succeeds(t, remove)
		c.same(t, before)
	})
	// The operator waits for the component longer than this test does, so the garden goes with the cluster.
	t.Run("APP-25 the operator goes on with what is installed", func(t *testing.T) {
		applied(t)
		file := write(t, filepath.Join(c.Dir, "operator.yaml"), "leaderElection: {leaderElect: false}\n")
		if err := c.StartComponent("operator", "--kubeconfig="+c.Kubeconfig, "--config="+file); err != nil {
			t.Fatal(err)
		}
		testwait.For(t, time.Minute, "the operator deploys the first component", func() error {
			_, err := c.client.AppsV1().Deployments("garden").Get(t.Context(), "gardener-resource-manager", metav1.GetOptions{})
			return err
		})
		c.fails(t, at, 6, "no kubeconfig yet")
	})
}

// everything lists what a bootstrap and its operator may leave behind.
const everything = `gardener kubectl --kubeconfig runtime.yaml get namespaces,crds,clusterroles,clusterrolebindings,priorityclasses,validatingwebhookconfigurations,mutatingwebhookconfigurations,validatingadmissionpolicies,validatingadmissionpolicybindings -o name`

func (c runtimeCluster) same(t *testing.T, before string) {
	t.Helper()
	had := map[string]bool{}
	for line := range strings.Lines(before) {
		had[line] = true
	}
	for line := range strings.Lines(c.succeeds(t, everything)) {
		if !had[line] && !strings.HasPrefix(line, "clusterrole.rbac.authorization.k8s.io/system:") {
			t.Errorf("left: %s", line)
		}
	}
}
