package resourcemanager_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// policed is the label of namespaces whose Services get policies; see setUp.
var policed = map[string]string{"example.org/policed": "true"}

func TestNetworkPolicies(t *testing.T) {
	t.Parallel()
	for name, labels := range map[string]map[string]string{"policed": policed, "policed-clients": {"example.org/clients": "true"}} {
		if err := target.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}); err != nil {
			t.Fatal(err)
		}
	}
	service := func(namespace string) *corev1.Service {
		return &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web", Annotations: map[string]string{
				"networking.resources.gardener.cloud/namespace-selectors": `[{"matchLabels":{"example.org/clients":"true"}}]`,
			}},
			Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}}},
		}
	}
	for _, namespace := range []string{"policed", "other"} {
		if err := target.Create(t.Context(), service(namespace)); err != nil {
			t.Fatal(err)
		}
	}
	names := func(want ...string) func(context.Context) error {
		return func(ctx context.Context) error {
			list := &networkingv1.NetworkPolicyList{}
			if err := target.List(ctx, list, client.MatchingLabels{"networking.resources.gardener.cloud/service-name": "web"}); err != nil {
				return err
			}
			var got []string
			for _, policy := range list.Items {
				got = append(got, policy.Namespace+"/"+policy.Name)
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				return fmt.Errorf("policies (-want +got):\n%s", diff)
			}
			return nil
		}
	}
	const egress, ingress, from, to = "policed/egress-to-web-tcp-80", "policed/ingress-to-web-tcp-80", "policed/ingress-to-web-tcp-80-from-policed-clients", "policed-clients/egress-to-policed-web-tcp-80"
	t.Run("NET-2 a Service of a selected namespace, and no other, is open to labelled pods", func(t *testing.T) {
		eventually(t, "policies", names(to, egress, ingress, from))
	})
	t.Run("NET-2 what others do to the policies is taken back", func(t *testing.T) {
		policy := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "policed", Name: "ingress-to-web-tcp-80"}}
		if err := target.Patch(t.Context(), policy, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"ingress":[{}]}}`))); err != nil {
			t.Fatal(err)
		}
		eventually(t, "repair", func(ctx context.Context) error {
			if err := target.Get(ctx, client.ObjectKeyFromObject(policy), policy); err != nil || len(policy.Spec.Ingress[0].From) != 1 {
				return fmt.Errorf("%+v, %w", policy.Spec.Ingress, err)
			}
			return nil
		})
		if err := target.Delete(t.Context(), policy); err != nil {
			t.Fatal(err)
		}
		eventually(t, "policies", names(to, egress, ingress, from))
	})
	t.Run("NET-2 a namespace that is not selected any more is closed", func(t *testing.T) {
		clients := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "policed-clients"}}
		if err := target.Patch(t.Context(), clients, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"example.org/clients":null}}}`))); err != nil {
			t.Fatal(err)
		}
		eventually(t, "policies", names(egress, ingress))
	})
	t.Run("NET-2 nothing is left of a Service that is gone", func(t *testing.T) {
		if err := target.Delete(t.Context(), service("policed")); err != nil {
			t.Fatal(err)
		}
		eventually(t, "policies", names())
	})
}
