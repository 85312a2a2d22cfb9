package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func imageInShoot(f *fixture) {
	f.tryImages(f.shoot, metav1.NamespaceDefault)
}

func imageInSeed(f *fixture) {
	f.tryImages(f.Seed(), metav1.NamespaceDefault)
	f.tryImages(f.Seed(), technical)
}

func (f *fixture) tryImages(kubeconfig, namespace string) {
	for i, image := range images() {
		pod := f.thief(namespace, fmt.Sprintf("thief-%d", i), image)
		if i == 1 { // in the network of the machine, in its other namespaces, and begun by its command
			pod.Spec.HostNetwork, pod.Spec.HostPID = true, true
			pod.Spec.Containers[0].Command = []string{"/gardener"}
		}
		f.create(kubeconfig, pod)
		f.mustBeSimulated(kubeconfig, namespace, pod.Name)
		f.remove(kubeconfig, pod)
	}
}

// planter is a pod whose volumes would make directories and files on the machine.
func (f *fixture) planter(namespace, where string) *corev1.Pod {
	pod := f.thief(namespace, "planter", images()[0])
	for i, kind := range []corev1.HostPathType{corev1.HostPathDirectoryOrCreate, corev1.HostPathFileOrCreate, corev1.HostPathUnset} {
		volume := fmt.Sprintf("v%d", i)
		path := filepath.Join(where, volume)
		if kind == corev1.HostPathUnset {
			path = "/"
		}
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{
			Name: volume, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path, Type: &kind}},
		})
		pod.Spec.Containers[0].VolumeMounts = append(pod.Spec.Containers[0].VolumeMounts, corev1.VolumeMount{Name: volume, MountPath: "/" + volume})
	}
	pod.Spec.Containers[0].VolumeMounts = append(pod.Spec.Containers[0].VolumeMounts, corev1.VolumeMount{Name: "v0", MountPath: "/sub", SubPath: "a/b"})
	return pod
}

func volumesInShoot(f *fixture) { f.tryVolumes(f.shoot, metav1.NamespaceDefault) }

func volumesInSeed(f *fixture) { f.tryVolumes(f.Seed(), technical) }

func (f *fixture) tryVolumes(kubeconfig, namespace string) {
	where := filepath.Join(f.t.TempDir(), "planted")
	pod := f.planter(namespace, where)
	f.create(kubeconfig, pod)
	f.mustBeSimulated(kubeconfig, namespace, pod.Name)
	if _, err := os.Lstat(where); !os.IsNotExist(err) {
		f.t.Errorf("%s exists: %v", where, err)
	}
}

func kubeletOfShoot(f *fixture) { f.tryKubelet(f.shoot, metav1.NamespaceDefault) }

func kubeletOfSeed(f *fixture) { f.tryKubelet(f.Seed(), technical) }

// tryKubelet asks the API of a kubelet, which administrators reach, for what it knows of its machine and for commands.
func (f *fixture) tryKubelet(kubeconfig, namespace string) {
	node := strings.Fields(f.Kubectl(kubeconfig, "get", "nodes", "-o", "jsonpath={.items[*].metadata.name}"))[0]
	for _, path := range []string{"logs/", "logs/?query=kubelet", "debug/pprof/cmdline", "debug/pprof/goroutine?debug=2", "debug/pprof/heap", "debug/flags/v"} {
		if r := f.TryKubectl(kubeconfig, "get", "--raw", "/api/v1/nodes/"+node+"/proxy/"+path); r.Code == 0 {
			f.t.Errorf("%s answers %q", path, r.Stdout[:min(len(r.Stdout), 200)])
		}
	}
	pod := f.thief(namespace, "run", images()[0])
	f.create(kubeconfig, pod)
	f.log(kubeconfig, namespace, pod.Name)
	nothing := f.File("nothing", "")
	if r := f.TryKubectl(kubeconfig, "create", "--raw", "/api/v1/nodes/"+node+"/proxy/run/"+namespace+"/run/thief?cmd=id", "-f", nothing); r.Code == 0 {
		f.t.Errorf("the kubelet runs a command: %s", r.Stdout)
	}
}
