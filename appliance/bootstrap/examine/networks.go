package examine

import (
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"

	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// networks finds the ranges of pods and Services: what the operator names, what the Garden has already, what kubeadm has noted, or what the API
// and the nodes say.
func (e *examination) networks(nodes []corev1.Node) {
	noted, had := e.kubeadm(), operatorv1alpha1.RuntimeNetworking{}
	if e.present != nil {
		had = e.present.Spec.RuntimeCluster.Networking
	}
	for _, one := range []struct {
		check, flag, given string
		found              *string
		ways               []func() string
	}{
		{"network of pods", "--pod-network", e.in.Pods, &e.facts.Pods, []func() string{func() string { return first(had.Pods) }, func() string { return noted.PodSubnet }, func() string { return onlyRange(nodes) }}},
		{"network of Services", "--service-network", e.in.Services, &e.facts.Services, []func() string{func() string { return first(had.Services) }, func() string { return noted.ServiceSubnet }, e.serviceRange}},
	} {
		for _, way := range append([]func() string{func() string { return one.given }}, one.ways...) {
			if *one.found = way(); *one.found != "" {
				break
			}
		}
		switch _, err := netip.ParsePrefix(*one.found); {
		case *one.found == "":
			e.problem(one.check, "name it with "+one.flag, "the cluster does not say which range it has")
		case err != nil:
			e.problem(one.check, "name one range with "+one.flag, "%q is not one range of addresses", *one.found)
		default:
			e.ok(one.check, "%s", *one.found)
		}
	}
}

func first(ranges []string) string {
	if len(ranges) == 0 {
		return ""
	}
	return ranges[0]
}

type subnets struct {
	PodSubnet     string `json:"podSubnet"`
	ServiceSubnet string `json:"serviceSubnet"`
}

// kubeadm reads what kubeadm has noted of a cluster that it made; empty for other clusters.
func (e *examination) kubeadm() subnets {
	noted, content := &corev1.ConfigMap{}, struct {
		Networking subnets `json:"networking"`
	}{}
	noted.Namespace, noted.Name = "kube-system", "kubeadm-config"
	if err := e.in.Cluster.Client.Get(e.ctx, keyOf(noted), noted); err != nil {
		return subnets{}
	}
	if err := yaml.Unmarshal([]byte(noted.Data["ClusterConfiguration"]), &content); err != nil {
		return subnets{}
	}
	return content.Networking
}

// serviceRange asks for the range that the API server has made itself.
func (e *examination) serviceRange() string {
	ranges := &networkingv1.ServiceCIDRList{}
	if err := e.in.Cluster.Client.List(e.ctx, ranges); err != nil || len(ranges.Items) != 1 || len(ranges.Items[0].Spec.CIDRs) != 1 {
		return ""
	}
	return ranges.Items[0].Spec.CIDRs[0]
}

// onlyRange is the range of pods of the only node. Further nodes have other parts of a range that nobody knows.
func onlyRange(nodes []corev1.Node) string {
	if len(nodes) != 1 {
		return ""
	}
	return nodes[0].Spec.PodCIDR
}
