package networkpolicy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// text is one line for a policy: where it is, its name, whom it is for, and what it lets through.
func text(p *networkingv1.NetworkPolicy) string {
	peer := func(peers []networkingv1.NetworkPolicyPeer) string {
		if len(peers) == 0 {
			return "anybody"
		}
		out := metav1.FormatLabelSelector(peers[0].PodSelector)
		if peers[0].NamespaceSelector != nil {
			out += " in " + peers[0].NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"]
		}
		return out
	}
	out := fmt.Sprintf("%s/%s: %s ", p.Namespace, p.Name, metav1.FormatLabelSelector(&p.Spec.PodSelector))
	for _, rule := range p.Spec.Ingress {
		out += "from " + peer(rule.From) + " at " + rule.Ports[0].Port.String()
	}
	for _, rule := range p.Spec.Egress {
		out += "to " + peer(rule.To) + " at " + rule.Ports[0].Port.String()
	}
	return strings.ReplaceAll(out, "networking.resources.gardener.cloud/", "")
}

func TestPolicies(t *testing.T) {
	namespaces := []metav1.PartialObjectMetadata{
		{ObjectMeta: metav1.ObjectMeta{Name: "own", Labels: map[string]string{"role": "a"}}}, {ObjectMeta: metav1.ObjectMeta{Name: "a1", Labels: map[string]string{"role": "a"}}},
		{ObjectMeta: metav1.ObjectMeta{Name: "b", Labels: map[string]string{"role": "b"}}},
	}
	own := []string{
		"own/ingress-to-web-tcp-8080: app=web from to-web-tcp-8080=allowed at 8080",
		"own/egress-to-web-tcp-8080: to-web-tcp-8080=allowed to app=web at 8080",
	}
	for name, tc := range map[string]struct {
		annotations map[string]string
		ingress     *Ingress
		want        []string // besides those of the namespace itself
		wantErr     string
	}{
		"a Service is open to its own namespace": {},
		"others are selected, by an alias": {
			annotations: map[string]string{"namespace-selectors": `[{"matchLabels":{"role":"a"}}]`, "pod-label-selector-namespace-alias": "all-a"},
			want: []string{
				"own/ingress-to-web-tcp-8080-from-a1: app=web from to-all-a-web-tcp-8080=allowed in a1 at 8080",
				"a1/egress-to-own-web-tcp-8080: to-all-a-web-tcp-8080=allowed to app=web in own at 8080",
			},
		},
		"the world": {
			annotations: map[string]string{"from-world-to-ports": `[{"port":8080}]`},
			want:        []string{"own/ingress-to-web-from-world: app=web from anybody at 8080"},
		},
		"a common label": {
			annotations: map[string]string{"from-all-scrape-targets-allowed-ports": `[{"protocol":"TCP","port":9090}]`},
			want: []string{
				"own/ingress-to-web-tcp-9090-via-all-scrape-targets: app=web from to-all-scrape-targets=allowed at 9090",
				"own/egress-to-web-tcp-9090-via-all-scrape-targets: to-all-scrape-targets=allowed to app=web at 9090",
			},
		},
		"an ingress": {
			ingress: &Ingress{Namespace: "b", Pods: metav1.LabelSelector{MatchLabels: map[string]string{"app": "nginx"}}, Ports: []networkingv1.ServiceBackendPort{{Number: 80}}},
			want: []string{
				"own/ingress-to-web-tcp-8080-from-ingress-controller: app=web from app=nginx in b at 8080",
				"b/egress-to-own-web-tcp-8080-from-ingress-controller: app=nginx to app=web in own at 8080",
			},
		},
		"an ingress to another port": {
			ingress: &Ingress{Namespace: "b", Ports: []networkingv1.ServiceBackendPort{{Number: 81}}},
		},
		"a mistake": {annotations: map[string]string{"namespace-selectors": `{}`}, wantErr: "namespace-selectors"},
		"a label that is long": {
			annotations: map[string]string{"namespace-selectors": `[{}]`, "pod-label-selector-namespace-alias": strings.Repeat("x", 60)}, wantErr: "an alias may help",
		},
	} {
		t.Run(name, func(t *testing.T) {
			service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "own", Name: "web", Annotations: map[string]string{}}, Spec: corev1.ServiceSpec{
				Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromInt32(8080)}},
			}}
			for key, value := range tc.annotations {
				service.Annotations["networking.resources.gardener.cloud/"+key] = value
			}
			policies, err := Policies(service, namespaces, tc.ingress)
			if (err == nil) != (tc.wantErr == "") || err != nil && !strings.Contains(err.Error(), tc.wantErr) {
				t.Fatalf("error %v, want one with %q", err, tc.wantErr)
			}
			if err != nil {
				return
			}
			var got []string
			for _, policy := range policies {
				got = append(got, text(policy))
			}
			if diff := cmp.Diff(append(append([]string{}, own...), tc.want...), got); diff != "" {
				t.Errorf("policies (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a Service without pods of its own needs none", func(t *testing.T) {
		if policies, err := Policies(&corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 1}}}}, namespaces, nil); err != nil || len(policies) > 0 {
			t.Errorf("%d policies, %v", len(policies), err)
		}
	})
}
