// Package trust tries to leave a cluster: as the administrator of a shoot and as the administrator of a seed. All tests
// share a landscape with one shoot. Each test is a way that a user could try, and says what must not come of it.
package trust

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// The shoot in the garden, and its control plane in the seed.
const (
	project   = "garden-local"
	name      = "trust"
	technical = "shoot--local--trust"
)

// fixture is the state that the tests share.
type fixture struct {
	*framework.Landscape
	t     *testing.T
	shoot string // a kubeconfig of the shoot's administrator
	// public is a directory that every user of the machine can enter. The landscape is below it. temporary is the directory
	// for temporary files of the landscape's commands, where every user can write.
	public, temporary string
}

func TestTrust(t *testing.T) {
	public, err := os.MkdirTemp("", "gardener-e2e-trust-") // t.TempDir is below a directory that other users cannot enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(public) }) // runs after the purge
	dir, temporary := filepath.Join(public, "landscape"), filepath.Join(public, "tmp")
	if err := errors.Join(os.Chmod(public, 0o755), os.Mkdir(dir, 0o755), os.Mkdir(temporary, 0o755), os.Chmod(temporary, os.ModeSticky|0o777)); err != nil {
		t.Fatal(err)
	}
	l := framework.NewAs(t, nil, dir)
	l.Env = append(l.Env, "TMPDIR="+temporary)
	l.Gardener("up")
	file, err := filepath.Abs(filepath.Join("testdata", "shoot.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	l.Kubectl(l.Garden(), "create", "-f", file)
	l.Gardener("shoot", "wait", name, "-n", project, "--timeout=10m")
	f := fixture{Landscape: l, shoot: l.Shoot(project, name), public: public, temporary: temporary}
	for _, try := range []struct {
		name string
		do   func(*fixture)
	}{
		{"APP-19 another Unix user opens no file of the landscape", files},
		{"APP-19 another Unix user sees nothing of the landscape's processes", insides},
		{"APP-19 another Unix user connects to no socket of the landscape", unixSockets},
		{"APP-19 command lines contain no secrets", commandLines},
		{"APP-22 a support bundle contains what is needed, and no secret of the run", supportBundle},
		{"APP-19 listeners ask another Unix user for a credential", withoutCredential},
		{"APP-19 MIG-1 roles of a project allow what the table says, and nothing else in the garden", projectRights},
		{"APP-19 service accounts of the seed reach nothing outside of their namespaces", seedRights},
		{"APP-19 viewers of a shoot read no credentials and reach into nothing", viewerOfShoot},
		{"APP-19 credentials of a cluster are worth nothing in the others", elsewhere},
		{"GAC-2 a kubeconfig that runs a program is refused in the garden", kubeconfigInGarden},
		{"GAC-3 the namespace of a project stays", namespaceOfProject},
		{"GAC-4 large Secrets and ConfigMaps are refused in the garden", largeObjects},
		{"APP-19 API servers read no request of more than 3 MiB", hugeRequests},
		{"APP-19 a Plant reaches no server of the machine, of the landscape or of a private network", plantsInMachine},
		{"APP-19 a Plant reaches a shoot", plantOfShoot},
		{"APP-19 GAC-8 GAC-10 a gardenlet reaches nothing of another seed, of projects and of the landscape", gardenletElsewhere},
		{"APP-19 APP-17 a pod of a shoot with the image of the appliance is simulated", imageInShoot},
		{"APP-19 volumes of a shoot's pods reach nothing of the machine", volumesInShoot},
		{"APP-19 the kubelet of a shoot shows nothing of the machine", kubeletOfShoot},
		{"APP-19 addresses of nodes and pods that a user writes reach nothing of the machine", addressesInShoot},
		{"APP-19 an API server of a shoot reaches no kubelet but those of the shoot", kubeletsOfOthers},
		{"APP-19 APP-17 a pod that a user of the seed makes with the image of the appliance is simulated", imageInSeed},
		{"APP-19 volumes of a user's pods in the seed reach nothing of the machine", volumesInSeed},
		{"APP-19 an exact copy of a control plane's pod is a process, so the changes make the difference", exactCopy},
		{"APP-19 a changed copy of a control plane's pod is simulated", changedCopies},
		{"APP-19 a copy of a control plane's pod in another namespace is simulated", movedCopies},
		{"APP-19 a copy of a control plane's pod is simulated, whoever the user pretends to be", impersonated},
		{"APP-19 a pod of the control plane whose image is replaced is simulated", replacedImage},
		{"APP-19 an ephemeral container in a control plane's pod is simulated", ephemeral},
		{"APP-19 commands in a control plane's pod find programs of the container only", commands},
		{"APP-19 the ports of a control plane's pod are those it declares", ports},
		{"APP-19 a volume that a user puts under a control plane's claim is not mounted", foreignVolume},
		{"APP-19 no process of a pod can start a program, whatever files its user writes", noPrograms},
		{"APP-19 the kubelet of the seed shows nothing of the machine", kubeletOfSeed},
		{"APP-19 a user of a shoot who fills its etcd keeps nobody else from writing, and can write again after deletions", fullEtcd}, // the last one: it restarts the etcd
	} {
		t.Run(try.name, func(t *testing.T) {
			f := f
			f.Landscape, f.t = l.For(t), t
			try.do(&f)
		})
	}
}

// images are names by which a user could ask for this binary.
func images() []string {
	const repository = "gardener.local/gardener"
	return []string{repository, repository + ":dev", repository + ":v0.0.1", repository + "@sha256:" + strings.Repeat("a", 64)}
}

// thief is a pod that prints the kubeconfig of the garden's administrator where it is the binary.
func (f *fixture) thief(namespace, podName, image string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: podName},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{
				Name: "thief", Image: image, Stdin: true,
				Args: []string{"kubeconfig", "garden", "--state-dir=" + f.StateDir, "--landscape-config=" + f.Config},
				Env:  []corev1.EnvVar{{Name: "HOME", Value: f.Dir}, {Name: "XDG_STATE_HOME", Value: f.Dir}},
			}},
		},
	}
}

// create creates a pod from any manifest.
func (f *fixture) create(kubeconfig string, pod *corev1.Pod, flags ...string) {
	f.t.Helper()
	pod = pod.DeepCopy()
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	pod.ResourceVersion, pod.UID, pod.CreationTimestamp, pod.ManagedFields, pod.Status = "", "", metav1.Time{}, nil, corev1.PodStatus{}
	content, err := yaml.Marshal(pod)
	if err != nil {
		f.t.Fatal(err)
	}
	file := f.File(pod.Namespace+"-"+pod.Name+".yaml", string(content))
	f.Kubectl(kubeconfig, append([]string{"create", "-f", file}, flags...)...)
	f.t.Cleanup(func() { f.remove(kubeconfig, pod) })
}

func (f *fixture) remove(kubeconfig string, pod *corev1.Pod) {
	f.t.Helper()
	f.TryKubectl(kubeconfig, "-n", pod.Namespace, "delete", "pod", pod.Name, "--ignore-not-found", "--grace-period=1", "--timeout=10m")
}

func (f *fixture) read(kubeconfig, namespace, podName string) *corev1.Pod {
	f.t.Helper()
	pod := &corev1.Pod{}
	if err := yaml.Unmarshal([]byte(f.Kubectl(kubeconfig, "-n", namespace, "get", "pod", podName, "-o", "yaml")), pod); err != nil {
		f.t.Fatal(err)
	}
	return pod
}

// log waits until the first container of the pod has begun and returns its log.
func (f *fixture) log(kubeconfig, namespace, podName string) string {
	f.t.Helper()
	var log string
	f.Eventually(time.Minute, "pod "+podName+" has a log", func() (bool, string) {
		r := f.TryKubectl(kubeconfig, "-n", namespace, "logs", podName, "--all-containers")
		log = r.Stdout
		return r.Code == 0 && log != "", r.Stderr
	})
	return log
}

// mustBeSimulated checks that nothing runs in a pod: it says so, prints nothing else, and offers nothing to connect to.
func (f *fixture) mustBeSimulated(kubeconfig, namespace, podName string) {
	f.t.Helper()
	for line := range strings.Lines(f.log(kubeconfig, namespace, podName)) {
		if !strings.Contains(line, "is simulated: nothing runs in container") {
			f.t.Fatalf("pod %s is no simulation, its log says %q", podName, line[:min(len(line), 300)])
		}
	}
	f.Eventually(time.Minute, "pod "+podName+" is said to run", func() (bool, string) { // kubectl asks the API, which learns of it later than the log
		phase := f.read(kubeconfig, namespace, podName).Status.Phase
		return phase != corev1.PodPending, string(phase)
	})
	for _, args := range [][]string{
		{"exec", podName, "--", "sh", "-c", "id"}, {"exec", podName, "--", "/bin/sh", "-c", "id"}, {"exec", podName, "--", "../../../../../../bin/sh"},
		{"exec", podName, "--", "/gardener", "kubeconfig", "garden"}, {"exec", podName, "--", "/proc/self/exe"}, {"attach", podName},
		{"port-forward", "pod/" + podName, ":10250"},
	} {
		refused := f.StartKubectl(kubeconfig, "", append([]string{"-n", namespace}, args...)...)
		if code := refused.Ends(time.Minute); code == 0 || !strings.Contains(refused.Output(), "simulated") {
			f.t.Errorf("kubectl %s: exit code %d, %s", strings.Join(args, " "), code, refused.Output())
		}
	}
}

// processes are the command lines of the landscape's processes that contain a text.
func (f *fixture) processes(text string) []string {
	var found []string
	for pid, line := range f.Processes() {
		if strings.Contains(line, text) && !strings.Contains(line, "kubectl") {
			found = append(found, fmt.Sprintf("%d: %s", pid, line))
		}
	}
	return found
}
