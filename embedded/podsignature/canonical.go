package podsignature

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// format begins the text that is signed; another format must not be taken for this one.
const format = "pod v1\n"

// content is what a signature covers. Of a container it covers all fields but those that normalise clears, so that a
// field of a later version of Kubernetes is covered, too.
type content struct {
	Namespace, ServiceAccount                            string
	HostNetwork, HostPID, HostIPC, ShareProcessNamespace bool
	ServiceLinks                                         bool
	InitContainers, Containers                           []corev1.Container `json:",omitempty"`
	Volumes                                              []corev1.Volume    `json:",omitempty"`
}

// canonical is the text that is signed. It is the same for a template, whose pod has no name yet, and for its pods.
func canonical(namespace, pod string, spec *corev1.PodSpec) ([]byte, error) {
	spec = spec.DeepCopy()
	dropToken(spec)
	covered := content{
		Namespace: namespace, ServiceAccount: spec.ServiceAccountName,
		HostNetwork: spec.HostNetwork, HostPID: spec.HostPID, HostIPC: spec.HostIPC,
		ShareProcessNamespace: spec.ShareProcessNamespace != nil && *spec.ShareProcessNamespace,
		ServiceLinks:          spec.EnableServiceLinks == nil || *spec.EnableServiceLinks,
		InitContainers:        spec.InitContainers, Containers: spec.Containers, Volumes: spec.Volumes,
	}
	if covered.ServiceAccount == "" {
		covered.ServiceAccount = "default"
	}
	for _, containers := range [][]corev1.Container{covered.InitContainers, covered.Containers} {
		for i := range containers {
			if err := normaliseContainer(&containers[i]); err != nil {
				return nil, fmt.Errorf("container %s: %w", containers[i].Name, err)
			}
		}
	}
	for i := range covered.Volumes {
		normaliseVolume(&covered.Volumes[i], pod)
	}
	slices.SortFunc(covered.Volumes, func(a, b corev1.Volume) int { return strings.Compare(a.Name, b.Name) })
	text, err := json.Marshal(covered)
	if err != nil {
		return nil, fmt.Errorf("encode pod: %w", err)
	}
	return append([]byte(format), text...), nil
}
