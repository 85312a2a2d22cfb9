package networkpolicy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"
)

// Ingress says which pods serve Ingresses, and to which ports of the Service the Ingresses lead.
type Ingress struct {
	Namespace string
	Pods      metav1.LabelSelector
	Ports     []networkingv1.ServiceBackendPort
}

// Policies returns all policies for a Service, given the existing namespaces. A Service without a selector needs none.
func Policies(service *corev1.Service, namespaces []metav1.PartialObjectMetadata, ingress *Ingress) ([]*networkingv1.NetworkPolicy, error) {
	if len(service.Spec.Selector) == 0 || service.DeletionTimestamp != nil {
		return nil, nil
	}
	w, err := wishesOf(service)
	if err != nil {
		return nil, err
	}
	p := &plan{service: service}
	others, err := selected(w.namespaces, namespaces, service.Namespace)
	if err != nil {
		return nil, err
	}
	for _, port := range service.Spec.Ports {
		policyPort := networkingv1.NetworkPolicyPort{Protocol: ptr.To(protocolOf(port.Protocol)), Port: ptr.To(port.TargetPort)}
		id := service.Name + "-" + portID(policyPort)
		p.way(id, "to-"+id, service.Namespace, labelPrefix+id, policyPort)
		for _, other := range others {
			p.way(id+"-from-"+other, "to-"+service.Namespace+"-"+id, other, labelPrefix+w.alias+"-"+id, policyPort)
		}
		if ingress != nil && slices.ContainsFunc(ingress.Ports, leadsTo(port)) {
			p.pods(id+"-from-ingress-controller", "to-"+service.Namespace+"-"+id+"-from-ingress-controller", ingress.Namespace, ingress.Pods, policyPort)
		}
	}
	if len(w.world) > 0 {
		p.add("ingress-to-"+service.Name+"-from-world", service.Namespace, networkingv1.NetworkPolicySpec{
			PodSelector: p.target(), PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{Ports: w.world}},
		})
	}
	for _, name := range slices.Sorted(maps.Keys(w.shared)) {
		for _, port := range w.shared[name] {
			id := service.Name + "-" + portID(port)
			p.way(id+"-via-"+name, "to-"+id+"-via-"+name, service.Namespace, labelPrefix+name, port)
			for _, other := range others {
				p.way(id+"-via-"+name+"-from-"+other, "to-"+service.Namespace+"-"+id+"-via-"+name, other, labelPrefix+name, port)
			}
		}
	}
	return p.policies, p.err
}

type plan struct {
	service  *corev1.Service
	policies []*networkingv1.NetworkPolicy
	err      error
}

// way lets pods with the label in a namespace reach the pods of the Service, by an egress and an ingress rule.
func (p *plan) way(ingress, egress, from, label string, port networkingv1.NetworkPolicyPort) {
	if problems := validation.IsQualifiedName(label); len(problems) > 0 {
		p.err = fmt.Errorf("label %q of clients is too long or wrong, an alias may help: %s", label, strings.Join(problems, ", "))
		return
	}
	p.pods(ingress, egress, from, metav1.LabelSelector{MatchLabels: map[string]string{label: allowed}}, port)
}

func (p *plan) pods(ingress, egress, from string, clients metav1.LabelSelector, port networkingv1.NetworkPolicyPort) {
	ports := []networkingv1.NetworkPolicyPort{port}
	p.add("ingress-to-"+ingress, p.service.Namespace, networkingv1.NetworkPolicySpec{
		PodSelector: p.target(), PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress: []networkingv1.NetworkPolicyIngressRule{{From: []networkingv1.NetworkPolicyPeer{p.peer(from, clients)}, Ports: ports}},
	})
	server := networkingv1.NetworkPolicyPeer{PodSelector: ptr.To(p.target())}
	if from != p.service.Namespace {
		server.NamespaceSelector = inNamespace(p.service.Namespace)
	}
	p.add("egress-"+egress, from, networkingv1.NetworkPolicySpec{
		PodSelector: clients, PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
		Egress: []networkingv1.NetworkPolicyEgressRule{{To: []networkingv1.NetworkPolicyPeer{server}, Ports: ports}},
	})
}

func (p *plan) peer(namespace string, pods metav1.LabelSelector) networkingv1.NetworkPolicyPeer {
	peer := networkingv1.NetworkPolicyPeer{PodSelector: &pods}
	if namespace != p.service.Namespace {
		peer.NamespaceSelector = inNamespace(namespace)
	}
	return peer
}

func (p *plan) target() metav1.LabelSelector {
	return metav1.LabelSelector{MatchLabels: p.service.Spec.Selector}
}

// add ignores duplicates: several ports of a Service may lead to the same port of its pods.
func (p *plan) add(name, namespace string, spec networkingv1.NetworkPolicySpec) {
	if slices.ContainsFunc(p.policies, func(other *networkingv1.NetworkPolicy) bool {
		return other.Name == name && other.Namespace == namespace
	}) {
		return
	}
	p.policies = append(p.policies, &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: namespace, Labels: map[string]string{labelName: p.service.Name, labelNamespace: p.service.Namespace},
			Annotations: map[string]string{"gardener.cloud/description": fmt.Sprintf("Traffic to the pods of Service %s in namespace %s.", p.service.Name, p.service.Namespace)},
		},
		Spec: spec,
	})
}

// selected returns the namespaces that match one of the selectors, except the namespace of the Service.
func selected(selectors []metav1.LabelSelector, namespaces []metav1.PartialObjectMetadata, own string) ([]string, error) {
	var names []string
	for i := range selectors {
		selector, err := metav1.LabelSelectorAsSelector(&selectors[i])
		if err != nil {
			return nil, fmt.Errorf("annotation %s: %w", annotationNamespaces, err)
		}
		for _, namespace := range namespaces {
			if namespace.Name != own && namespace.DeletionTimestamp == nil && selector.Matches(labels.Set(namespace.Labels)) {
				names = append(names, namespace.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func inNamespace(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: name}}
}

func protocolOf(protocol corev1.Protocol) corev1.Protocol {
	if protocol == "" {
		return corev1.ProtocolTCP
	}
	return protocol
}

func portID(port networkingv1.NetworkPolicyPort) string {
	id := strings.ToLower(string(protocolOf(ptr.Deref(port.Protocol, ""))))
	if port.Port != nil {
		id += "-" + port.Port.String()
	}
	return id
}

func leadsTo(port corev1.ServicePort) func(networkingv1.ServiceBackendPort) bool {
	return func(backend networkingv1.ServiceBackendPort) bool {
		return backend.Name != "" && backend.Name == port.Name || backend.Number != 0 && backend.Number == port.Port
	}
}
