package node

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// waitForCSI is the prefix of the annotations by which a pod announces its CSI driver:
// node.gardener.cloud/wait-for-csi-node-<name>.
const waitForCSI = "node.gardener.cloud/wait-for-csi-node-"

// Missing describes a critical pod that is missing on the node or not ready; it is empty if there is none. Daemon sets
// and pods are those with the label for critical components, and the pods are those of the node. A daemon set counts if
// its pod template has the label, too, and its pods may run on the node. Its pod is required even before it exists.
func Missing(node *corev1.Node, sets []appsv1.DaemonSet, pods []corev1.Pod) string {
	for i := range sets {
		set := &sets[i]
		if set.DeletionTimestamp != nil || set.Spec.Template.Labels[constants.LabelNodeCriticalComponent] != "true" || !wants(set, node) {
			continue
		}
		owned := func(pod corev1.Pod) bool { return metav1.IsControlledBy(&pod, set) }
		if !slices.ContainsFunc(pods, owned) {
			return fmt.Sprintf("pod of DaemonSet %s/%s does not exist", set.Namespace, set.Name)
		}
	}
	for i := range pods {
		if pod := &pods[i]; pod.DeletionTimestamp == nil && !ready(pod) {
			return fmt.Sprintf("pod %s/%s is not ready", pod.Namespace, pod.Name)
		}
	}
	return ""
}

// wants reports whether node selector and affinity of the pods match the node. Taints do not matter: critical pods must
// tolerate Gardener's taint.
func wants(set *appsv1.DaemonSet, node *corev1.Node) bool {
	pod := &corev1.Pod{Spec: set.Spec.Template.Spec}
	match, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	return err != nil || match // an invalid affinity counts as a match
}

func ready(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
		return condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue
	})
}

// WantedDrivers lists the drivers the pods announce, sorted.
func WantedDrivers(pods []corev1.Pod) []string {
	wanted := map[string]bool{}
	for _, pod := range pods {
		for key, driver := range pod.Annotations {
			if strings.HasPrefix(key, waitForCSI) {
				wanted[driver] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(wanted))
}

// MissingDriver describes the first of the drivers that is not registered yet; it is empty if there is none.
func MissingDriver(wanted []string, registered *storagev1.CSINode) string {
	for _, name := range wanted {
		if !slices.ContainsFunc(registered.Spec.Drivers, func(driver storagev1.CSINodeDriver) bool { return driver.Name == name }) {
			return fmt.Sprintf("CSI driver %q is not registered", name)
		}
	}
	return ""
}
