package machine

import (
	"fmt"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/local/machine/name"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const (
	// podPrefix is followed by the name of the Machine in the names of the pod and its Secret.
	podPrefix = name.PodPrefix
	// machineAnnotation and classAnnotation name a pod's Machine and MachineClass. Labels are too short for these
	// names.
	machineAnnotation = "machine.local.provider.extensions.gardener.cloud/name"
	classAnnotation   = "machine.local.provider.extensions.gardener.cloud/class"
	// bootAnnotation changes together with what a machine boots from. formerAnnotation is the container that ran before an update in place.
	bootAnnotation   = "machine.local.provider.extensions.gardener.cloud/boot"
	formerAnnotation = "machine.local.provider.extensions.gardener.cloud/former-container"

	// userDataFile and rootDir are the arguments of Command. userDataFile is a file of the Secret.
	userDataFile = "etc/machine/userdata"
	rootDir      = "var/lib/machine"
)

// newSecret makes the Secret that a machine boots from.
func newSecret(machine *machinev1alpha1.Machine, class string, userData []byte) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: machine.Namespace, Name: podPrefix + machine.Name, Labels: contract.MachinePodLabels()},
		Type:       corev1.SecretTypeOpaque,
		Data:       secretData(class, userData),
	}
}

// secretData are the files that a machine boots from.
func secretData(class string, userData []byte) map[string][]byte {
	out := map[string][]byte{filepath.Base(userDataFile): userData}
	if boot := bootData(class, userData); boot != nil {
		out[bootFile] = boot
	}
	if ca := kubeletCA(userData); ca != nil {
		out[caFile] = ca
	}
	return out
}

// newPod makes a machine. signature is that of its class; empty if nobody asks for one.
func newPod(machine *machinev1alpha1.Machine, class, image, signature string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   machine.Namespace,
			Name:        podPrefix + machine.Name,
			Labels:      contract.MachinePodLabels(),
			Annotations: map[string]string{machineAnnotation: machine.Name, classAnnotation: class},
		},
		Spec: podSpec(podPrefix+machine.Name, image),
	}
	if signature != "" {
		pod.Annotations[podsignature.Annotation] = signature
	}
	return pod
}

// Signature signs all machine pods with an image in a namespace; it is empty without a signer. The machine controller,
// which makes the pods, is a pod itself and has no key.
func Signature(signer *podsignature.Signer, namespace, image string) (string, error) {
	spec := podSpec(podsignature.OwnSecret, image)
	return signer.Spec(namespace, &spec)
}

// podSpec is the same for all machines but for the name of the Secret, which is that of the pod. The kubelet of the
// machine keeps its certificate and its pods in an emptyDir, which lives as long as the pod.
func podSpec(secret, image string) corev1.PodSpec {
	no, grace := false, int64(5) // the pods of the machine were drained before, or are removed with their cluster
	return corev1.PodSpec{
		AutomountServiceAccountToken:  &no,
		EnableServiceLinks:            &no,
		TerminationGracePeriodSeconds: &grace,
		Containers: []corev1.Container{{
			Name:       "machine",
			Image:      image,
			WorkingDir: "/",
			Args: []string{
				"component", "machine",
				"--user-data=" + userDataFile,
				"--root=" + rootDir,
				"--namespace=$(POD_NAMESPACE)",
				"--pod=$(POD_NAME)",
				"--node-ip=$(POD_IP)",
			},
			Env: []corev1.EnvVar{
				variable("POD_NAMESPACE", "metadata.namespace"), variable("POD_NAME", "metadata.name"), variable("POD_IP", "status.podIP"),
			},
			ImagePullPolicy: corev1.PullIfNotPresent,
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("64Mi"),
			}},
			VolumeMounts: []corev1.VolumeMount{
				{Name: "userdata", MountPath: "/etc/machine", ReadOnly: true},
				{Name: "root", MountPath: "/" + rootDir},
			},
		}},
		Volumes: []corev1.Volume{
			{Name: "userdata", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secret}}},
			{Name: "root", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		},
	}
}

func variable(name, field string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: field}}}
}

// addresses are the addresses under which the API server of the Shoot reaches the machine.
func addresses(pod *corev1.Pod, machine string) []corev1.NodeAddress {
	list := []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name.OfNode(machine)}}
	if pod.Status.PodIP != "" {
		list = append(list, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: pod.Status.PodIP})
	}
	return list
}

// stopped reports whether a pod has ended for good, for instance because its node evicted it.
func stopped(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

func describe(machine *machinev1alpha1.Machine) string {
	return fmt.Sprintf("machine %s/%s", machine.Namespace, machine.Name)
}
