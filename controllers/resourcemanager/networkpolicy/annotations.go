// Package networkpolicy derives network policies from Services, for namespaces that deny all other traffic. For each
// port of a Service, pods with the label for that port may reach the pods of the Service: from its own namespace, from
// namespaces that the Service selects, from the world, or by a common label of several Services. The owners of pods
// decide which pods carry the labels.
package networkpolicy

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Annotations of Services, and labels of the derived policies.
const (
	group = "networking.resources.gardener.cloud/"

	annotationNamespaces = group + "namespace-selectors"                // JSON list of label selectors
	annotationAlias      = group + "pod-label-selector-namespace-alias" // instead of the namespace in labels of other namespaces' pods
	annotationWorld      = group + "from-world-to-ports"                // JSON list of ports of policies
	labelName            = group + "service-name"
	labelNamespace       = LabelNamespace
	labelPrefix          = group + "to-"
	allowed              = "allowed"

	sharedPrefix, sharedSuffix = group + "from-", "-allowed-ports"
)

// LabelNamespace of a derived policy is the namespace of the Service.
const LabelNamespace = group + "service-namespace"

// wishes is what the annotations of a Service ask for.
type wishes struct {
	namespaces []metav1.LabelSelector
	alias      string
	world      []networkingv1.NetworkPolicyPort
	shared     map[string][]networkingv1.NetworkPolicyPort // by the name of the policy
}

func wishesOf(service *corev1.Service) (wishes, error) {
	w := wishes{alias: service.Namespace, shared: map[string][]networkingv1.NetworkPolicyPort{}}
	for key, value := range service.Annotations {
		var err error
		name, isShared := strings.CutPrefix(key, sharedPrefix)
		if isShared {
			name, isShared = strings.CutSuffix(name, sharedSuffix)
		}
		switch {
		case key == annotationNamespaces:
			err = json.Unmarshal([]byte(value), &w.namespaces)
		case key == annotationAlias:
			w.alias = value
		case key == annotationWorld:
			err = json.Unmarshal([]byte(value), &w.world)
		case isShared && name != "":
			var ports []networkingv1.NetworkPolicyPort
			err = json.Unmarshal([]byte(value), &ports)
			w.shared[name] = ports
		}
		if err != nil {
			return w, fmt.Errorf("annotation %s: %w", key, err)
		}
	}
	return w, nil
}
