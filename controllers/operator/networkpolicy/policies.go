// Package networkpolicy denies traffic in the namespace of a Garden that an operator deploys, and allows what its components need. The policies are
// those of seeds: controllers/gardenlet/networkpolicy and controllers/resourcemanager/networkpolicy plan them. Other namespaces have
// policies only where Services of the namespace select them; a gardenlet writes the rest.
package networkpolicy

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	general "github.com/gardener-up/gardener-up/controllers/gardenlet/networkpolicy"
	services "github.com/gardener-up/gardener-up/controllers/resourcemanager/networkpolicy"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// Labels of the policies that belong to no Service.
const (
	labelManagedBy = "app.kubernetes.io/managed-by"
	managedBy      = "gardener-operator-networkpolicy"
)

// webhookPort is where the pod of the operator serves its webhooks.
const webhookPort = 2750

// operatorPods are the labels of the operator's own pods, which share the namespace.
var operatorPods = metav1.LabelSelector{MatchLabels: map[string]string{constants.LabelApp: "gardener", constants.LabelRole: "operator"}}

// World is what the policies depend on. Fields may be empty unless said otherwise.
type World struct {
	// Garden is required.
	Garden *operatorv1alpha1.Garden
	// Namespace of the Garden; required.
	Namespace string
	// Services of the namespace.
	Services []corev1.Service
	// Namespaces of the cluster, which Services may select.
	Namespaces []metav1.PartialObjectMetadata
	// APIServer lists the endpoints of the API server of the cluster.
	APIServer []general.Endpoint
	// Resolvers are the addresses of the name servers that pods of the cluster use.
	Resolvers []string
	// Entrance is the name of the Service of the virtual garden's API server.
	Entrance string
}

// Plan returns all policies. That which denies all traffic is last, so that there is never a time in which nothing is allowed. The error is for
// Services whose annotations are wrong; the policies of all others are returned, too.
func Plan(w World) (policies []*networkingv1.NetworkPolicy, wrong error) {
	for i := range w.Services {
		some, err := services.Policies(&w.Services[i], w.Namespaces, nil)
		if err != nil {
			wrong = fmt.Errorf("service %q: %w", w.Services[i].Name, err)
		}
		for _, policy := range some {
			policy.Labels[labelManagedBy] = managedBy // a gardenlet derives the same policies, without this label
		}
		policies = append(policies, some...)
	}
	policies = append(policies, ofOperator(w.Namespace)...)
	for _, policy := range general.Policies(w.Namespace, w.networks()) {
		policy.Labels[labelManagedBy] = managedBy
		policies = append(policies, policy)
	}
	return policies, wrong
}

func (w World) networks() general.Networks {
	networking := &w.Garden.Spec.RuntimeCluster.Networking
	out := general.Networks{Blocked: networking.BlockCIDRs, APIServer: w.APIServer, DNS: w.Resolvers}
	for _, ranges := range [][]string{networking.Nodes, networking.Pods, networking.Services} {
		out.Seed = append(out.Seed, ranges...)
	}
	for _, services := range networking.Services {
		out.APIServer = append(out.APIServer, general.APIServerOf(services)...)
		out.DNS = append(out.DNS, general.DNSAddress(services))
	}
	for i := range w.Services {
		if w.Services[i].Name == w.Entrance {
			out.Garden = general.GardenOf(&w.Services[i])
		}
	}
	return out
}

// ofOperator allow what the operator does. It has all rights in the cluster, so that fewer ways would protect nothing: it reaches whatever it wants,
// all pods of the namespace let it in, and the API server of the cluster, which no label selects, calls its webhooks.
func ofOperator(namespace string) []*networkingv1.NetworkPolicy {
	policy := func(name, description string, spec networkingv1.NetworkPolicySpec) *networkingv1.NetworkPolicy {
		return &networkingv1.NetworkPolicy{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: namespace, Name: name, Labels: map[string]string{labelManagedBy: managedBy},
				Annotations: map[string]string{"gardener.cloud/description": description},
			},
			Spec: spec,
		}
	}
	return []*networkingv1.NetworkPolicy{
		policy("gardener-operator", "Traffic of the operator, and to its webhooks.", networkingv1.NetworkPolicySpec{
			PodSelector: operatorPods, PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress, networkingv1.PolicyTypeIngress},
			Egress: []networkingv1.NetworkPolicyEgressRule{{}},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{
				Ports: []networkingv1.NetworkPolicyPort{{Protocol: ptr.To(corev1.ProtocolTCP), Port: ptr.To(intstr.FromInt32(webhookPort))}},
			}},
		}),
		policy("allow-from-gardener-operator", "Traffic from the operator.", networkingv1.NetworkPolicySpec{
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{From: []networkingv1.NetworkPolicyPeer{{PodSelector: &operatorPods}}}},
		}),
	}
}
