package trust

import (
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// original is the pod of the shoot's scheduler with everything that marks it: labels, annotations, owner, account.
func (f *fixture) original() *corev1.Pod {
	f.t.Helper()
	found := f.Kubectl(f.Seed(), "-n", technical, "get", "pods", "-l", "role=scheduler", "--field-selector=status.phase=Running", "-o", "jsonpath={.items[0].metadata.name}")
	return f.read(f.Seed(), technical, found)
}

// copied is the original by another name, for which no controller cares.
func (f *fixture) copied(podName string) *corev1.Pod {
	pod := f.original()
	pod.Name, pod.GenerateName = podName, ""
	pod.Labels = map[string]string{"copied": "true"}
	pod.OwnerReferences = nil
	return pod
}

func exactCopy(f *fixture) {
	pod := f.copied("exact")
	f.create(f.Seed(), pod)
	if log := f.log(f.Seed(), technical, pod.Name); strings.Contains(log, "is simulated") {
		f.t.Errorf("the exact copy is simulated: %s", log)
	}
}

func changedCopies(f *fixture) {
	directory := corev1.HostPathDirectory
	container := func(change func(*corev1.Container)) func(*corev1.Pod) {
		return func(pod *corev1.Pod) { change(&pod.Spec.Containers[0]) }
	}
	for what, change := range map[string]func(*corev1.Pod){
		"arguments":           container(func(c *corev1.Container) { c.Args = f.thief("", "", "").Spec.Containers[0].Args }),
		"one more argument":   container(func(c *corev1.Container) { c.Args = append(c.Args, "--v=1") }),
		"a command":           container(func(c *corev1.Container) { c.Command = []string{"/gardener"} }),
		"a variable":          container(func(c *corev1.Container) { c.Env = append(c.Env, corev1.EnvVar{Name: "HOME", Value: f.Dir}) }),
		"a working directory": container(func(c *corev1.Container) { c.WorkingDir = "/tmp" }),
		"a name":              container(func(c *corev1.Container) { c.Name = "other" }),
		"an image":            container(func(c *corev1.Container) { c.Image = images()[2] }),
		"input":               container(func(c *corev1.Container) { c.Stdin = true }),
		"a port":              container(func(c *corev1.Container) { c.Ports = append(c.Ports, corev1.ContainerPort{ContainerPort: 22}) }),
		"a probe": container(func(c *corev1.Container) {
			c.LivenessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"/gardener", "kubeconfig", "garden"}}}}
		}),
		"a hook": container(func(c *corev1.Container) {
			c.Lifecycle = &corev1.Lifecycle{PostStart: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"/gardener", "kubeconfig", "garden"}}}}
		}),
		"a message path":     container(func(c *corev1.Container) { c.TerminationMessagePath = "/etc/hosts" }),
		"a place of a mount": container(func(c *corev1.Container) { c.VolumeMounts[0].MountPath = "/elsewhere" }),
		"variables from elsewhere": container(func(c *corev1.Container) {
			c.EnvFrom = []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}}}}
		}),
		"a directory of the machine": func(pod *corev1.Pod) {
			pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "host", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/", Type: &directory}}})
			pod.Spec.Containers[0].VolumeMounts = append(pod.Spec.Containers[0].VolumeMounts, corev1.VolumeMount{Name: "host", MountPath: "/host"})
		},
		"a token in disguise": func(pod *corev1.Pod) {
			pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "kube-api-access-x", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/", Type: &directory}}})
			pod.Spec.Containers[0].VolumeMounts = append(pod.Spec.Containers[0].VolumeMounts, corev1.VolumeMount{Name: "kube-api-access-x", MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"})
		},
		"the network of the machine":   func(pod *corev1.Pod) { pod.Spec.HostNetwork = true },
		"the processes of the machine": func(pod *corev1.Pod) { pod.Spec.HostPID = true },
		"an account": func(pod *corev1.Pod) {
			pod.Spec.ServiceAccountName, pod.Spec.DeprecatedServiceAccount = "kube-controller-manager", ""
		},
		"a second container": func(pod *corev1.Pod) {
			pod.Spec.Containers = append(pod.Spec.Containers, f.thief("", "", images()[0]).Spec.Containers...)
		},
		"a container before": func(pod *corev1.Pod) { pod.Spec.InitContainers = f.thief("", "", images()[0]).Spec.Containers },
		"no signature": func(pod *corev1.Pod) {
			for key := range pod.Annotations {
				if strings.Contains(key, "signature") {
					delete(pod.Annotations, key)
				}
			}
		},
		"another signature": func(pod *corev1.Pod) {
			for key, value := range pod.Annotations {
				if strings.Contains(key, "signature") {
					pod.Annotations[key] = value[4:8] + value[4:]
				}
			}
		},
		"an annotation of the node": func(pod *corev1.Pod) {
			pod.Spec.Containers[0].Args = f.thief("", "", "").Spec.Containers[0].Args
			pod.Annotations["node.gardener.local/processes"] = pod.Spec.Containers[0].Name
		},
	} {
		pod := f.copied("changed")
		change(pod)
		if what == "an account" {
			f.TryKubectl(f.Seed(), "-n", technical, "create", "serviceaccount", pod.Spec.ServiceAccountName)
		}
		f.create(f.Seed(), pod)
		for line := range strings.Lines(f.log(f.Seed(), technical, pod.Name)) {
			if !strings.Contains(line, "is simulated: nothing runs in container") {
				f.t.Errorf("with %s: the log says %q", what, line[:min(len(line), 300)])
				break
			}
		}
		f.remove(f.Seed(), pod)
	}
	f.Eventually(time.Minute, "an event says why", func() (bool, string) {
		events := f.Kubectl(f.Seed(), "-n", technical, "get", "events", "--field-selector=involvedObject.name=changed,reason=Simulated", "-o", "jsonpath={.items[*].message}")
		return strings.Contains(events, "signature"), events
	})
}

func movedCopies(f *fixture) {
	for _, namespace := range []string{"garden", metav1.NamespaceSystem, "shoot--local--other"} {
		f.TryKubectl(f.Seed(), "create", "namespace", namespace)
		pod := f.copied("moved")
		pod.Namespace, pod.Spec.ServiceAccountName, pod.Spec.DeprecatedServiceAccount = namespace, "default", ""
		f.create(f.Seed(), pod)
		f.mustBeSimulated(f.Seed(), namespace, pod.Name)
	}
}

func impersonated(f *fixture) {
	for i, user := range []string{
		"system:serviceaccount:kube-system:replicaset-controller", "system:kube-controller-manager", "gardener.cloud:appliance", "system:node:local",
	} {
		pod := f.copied(fmt.Sprintf("as-%d", i))
		pod.Labels = f.original().Labels
		pod.Labels["role"] = "copy" // or the real controller takes it for its own and deletes it
		pod.Spec.Containers[0].Args = f.thief("", "", "").Spec.Containers[0].Args
		f.create(f.Seed(), pod, "--as="+user, "--as-group=system:masters")
		f.mustBeSimulated(f.Seed(), technical, pod.Name)
	}
}

func replacedImage(f *fixture) {
	pod := f.copied("replaced")
	f.create(f.Seed(), pod)
	f.log(f.Seed(), technical, pod.Name)
	f.Kubectl(f.Seed(), "-n", technical, "set", "image", "pod/replaced", pod.Spec.Containers[0].Name+"="+images()[2])
	f.Eventually(time.Minute, "the container is simulated", func() (bool, string) {
		log := f.TryKubectl(f.Seed(), "-n", technical, "logs", pod.Name).Stdout
		return strings.Contains(log, "is simulated: nothing runs"), log
	})
}

func ephemeral(f *fixture) {
	pod := f.original()
	f.StartKubectl(f.Seed(), "", "-n", technical, "debug", pod.Name, "--image="+images()[0], "--container=debugger", "--env=HOME="+f.Dir, "--", "/gardener", "kubeconfig", "garden")
	f.Eventually(time.Minute, "the container is simulated", func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", technical, "logs", pod.Name, "-c", "debugger")
		return strings.Contains(r.Stdout, "is simulated: nothing runs"), r.Stdout + r.Stderr
	})
	f.Kubectl(f.Seed(), "-n", technical, "delete", "pod", pod.Name)
	f.Kubectl(f.Seed(), "-n", technical, "rollout", "status", "deployment/kube-scheduler", "--timeout=10m")
}

func commands(f *fixture) {
	pod := f.original()
	for _, command := range [][]string{
		{"sh", "-c", "id"}, {"bin/sh", "-c", "id"}, {"./sh"}, {"cat", "/etc/passwd"}, {"tar", "c", "/"}, {"../../../../../../../../bin/sh"},
	} {
		r := f.TryKubectl(f.Seed(), append([]string{"-n", technical, "exec", pod.Name, "--"}, command...)...)
		if r.Code == 0 || !strings.Contains(r.Stderr, "executable file not found in $PATH") {
			f.t.Errorf("%q: exit code %d, output %q, errors %q", command, r.Code, r.Stdout, r.Stderr)
		}
	}
	for _, command := range [][]string{
		{"/bin/sh", "-c", "id"}, {"/proc/self/exe"}, {"/proc/self/root/bin/sh"},
		{"/gardener", "kubeconfig", "garden", "--state-dir=" + f.StateDir}, {"gardener", "kubectl", "--kubeconfig=" + f.Garden(), "get", "secrets", "-A"},
		{"/gardener", "version", "--output=/etc/passwd"}, {"/gardener"},
	} {
		if r := f.TryKubectl(f.Seed(), append([]string{"-n", technical, "exec", pod.Name, "--"}, command...)...); r.Code == 0 || r.Stdout != "" {
			f.t.Errorf("%q: exit code %d, output %q, errors %q", command, r.Code, r.Stdout, r.Stderr)
		}
	}
	node := strings.Fields(f.Kubectl(f.Seed(), "get", "nodes", "-o", "jsonpath={.items[*].metadata.name}"))[0]
	run := "/api/v1/nodes/" + node + "/proxy/run/" + technical + "/" + pod.Name + "/" + pod.Spec.Containers[0].Name
	for _, command := range []string{"id", "/gardener%20kubeconfig%20garden"} {
		if r := f.TryKubectl(f.Seed(), "create", "--raw", run+"?cmd="+command, "-f", f.File("nothing", "")); r.Code == 0 {
			f.t.Errorf("the kubelet runs %s: %s", command, r.Stdout)
		}
	}
}

func ports(f *fixture) {
	pod := f.original()
	if len(pod.Spec.Containers[0].Ports) == 0 {
		f.t.Fatal("the scheduler declares no port")
	}
	for _, port := range []int{22, 10250, 8443, 6443} {
		forward := f.StartKubectl(f.Seed(), "", "-n", technical, "port-forward", "pod/"+pod.Name, fmt.Sprintf(":%d", port))
		forward.Says(time.Minute, "Forwarding from")
		connection, err := net.Dial("tcp", regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(forward.Output()))
		if err != nil {
			f.t.Fatal(err)
		}
		forward.Says(time.Minute, "does not declare port")
		_ = connection.Close()
	}
}

// foreignVolume makes a claim by the name that a copy of an etcd's pod uses, bound to a directory of the machine.
func foreignVolume(f *fixture) {
	where := f.t.TempDir()
	claim := "main-etcd-stolen-0"
	pod := f.read(f.Seed(), technical, "etcd-main-0")
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim != nil {
			claim = volume.Name + "-stolen-0"
		}
	}
	f.Kubectl(f.Seed(), "create", "-f", f.File("volume.yaml", fmt.Sprintf(`apiVersion: v1
kind: PersistentVolume
metadata: {name: stolen}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  storageClassName: stolen
  hostPath: {path: %q}
  persistentVolumeReclaimPolicy: Retain
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: %s, namespace: %s}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
  storageClassName: stolen
  volumeName: stolen
`, where, claim, technical)))
	pod.Name, pod.GenerateName, pod.OwnerReferences = "stolen-0", "", nil
	pod.Labels = map[string]string{"copied": "true"}
	for i := range pod.Spec.Volumes {
		if source := pod.Spec.Volumes[i].PersistentVolumeClaim; source != nil {
			source.ClaimName = claim
		}
	}
	f.create(f.Seed(), pod)
	f.Eventually(time.Minute, "the volume is refused", func() (bool, string) {
		events := f.Kubectl(f.Seed(), "-n", technical, "get", "events", "--field-selector=involvedObject.name=stolen-0", "-o", "jsonpath={.items[*].message}")
		return strings.Contains(events, "outside of the directories of volumes"), events
	})
	if entries, err := os.ReadDir(where); err != nil || len(entries) > 0 {
		f.t.Errorf("%s holds %v, %v", where, entries, err)
	}
	if found := slices.DeleteFunc(f.processes("component backup-restore"), func(line string) bool { return !strings.Contains(line, "stolen") }); len(found) > 0 {
		f.t.Errorf("the copy runs: %v", found)
	}
	f.remove(f.Seed(), pod)
	f.Kubectl(f.Seed(), "-n", technical, "delete", "pvc", claim, "--wait=false")
	f.Kubectl(f.Seed(), "delete", "pv", "stolen", "--wait=false")
}

// noPrograms checks that no process of a pod can start programs, so that files which its user writes, such as a kubeconfig
// that names one, cannot make it do so. Filters of system calls do that, of which the daemon has fewer.
func noPrograms(f *fixture) {
	filters := func(pid int) int {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return -1 // it has ended
		}
		found := regexp.MustCompile(`Seccomp_filters:\s*(\d+)`).FindSubmatch(content)
		if found == nil {
			f.t.Fatalf("the kernel does not tell how many filters a process has: %s", content)
		}
		number, _ := strconv.Atoi(string(found[1]))
		return number
	}
	daemon, looked := filters(f.Daemon()), 0
	for pid, line := range f.Processes() {
		if !strings.Contains(line, " component ") {
			continue
		}
		if filters(pid) < 0 {
			continue
		}
		looked++
		f.Eventually(30*time.Second, line+" has more filters of system calls than the daemon", func() (bool, string) {
			number := filters(pid) // a process that has just begun has none of its own yet
			return number < 0 || number > daemon, fmt.Sprintf("it has %d, the daemon has %d", number, daemon)
		})
	}
	if looked < 5 {
		f.t.Errorf("only %d processes of pods were found", looked)
	}
}
