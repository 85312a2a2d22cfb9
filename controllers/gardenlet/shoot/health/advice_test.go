package health

import (
	"context"
	"errors"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reader knows one Deployment, or fails.
type reader struct {
	client.Reader
	deployment *appsv1.Deployment
	err        error
}

func (r reader) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	if r.err != nil {
		return r.err
	}
	if key.Namespace != "kube-system" || key.Name != r.deployment.Name {
		return errors.New("asked for " + key.String())
	}
	r.deployment.DeepCopyInto(object.(*appsv1.Deployment))
	return nil
}

func deployment(name string, wanted, available int32) appsv1.Deployment {
	return appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DeploymentSpec{Replicas: ptr.To(wanted)},
		Status: appsv1.DeploymentStatus{AvailableReplicas: available},
	}
}

// dialing is a client that dials a gateway.
func dialing(client appsv1.Deployment, gateway string) appsv1.Deployment {
	client.Spec.Template.Spec.Containers = []corev1.Container{{Args: []string{"component", "vpn-shoot-client", "--gateway=" + gateway}}}
	return client
}

func TestTunnelAdvice(t *testing.T) {
	for name, tc := range map[string]struct {
		server, client appsv1.Deployment
		err            error
		want           string
	}{
		"VPN-9 a client without replicas is named":           {deployment("vpn-seed-server", 1, 1), deployment("vpn-shoot-client", 0, 0), nil, `"vpn-shoot-client" in namespace kube-system of the shoot: it is scaled to 0`},
		"VPN-9 a client without a pod is named":              {deployment("vpn-seed-server", 1, 1), deployment("vpn-shoot-client", 1, 0), nil, "0 of 1 pods are available"},
		"VPN-9 a client that cannot be read is named":        {deployment("proxy-server", 1, 1), deployment("proxy-agent", 1, 1), errors.New("gone"), `"proxy-agent" in namespace kube-system of the shoot: gone`},
		"VPN-9 a server without a pod comes first":           {deployment("vpn-seed-server", 1, 0), deployment("vpn-shoot-client", 0, 0), nil, `"vpn-seed-server" in the seed: 0 of 1 pods are available`},
		"VPN-9 if both run, the way between them is":         {deployment("proxy-server", 1, 1), dialing(deployment("proxy-agent", 1, 1), "api.s.p.internal:8132"), nil, "port 8132 of the seed"},
		"PRT-4 the way is that to the shoot's own gateway":   {deployment("proxy-server", 1, 1), dialing(deployment("proxy-agent", 1, 1), "api.s.p.internal:8232"), nil, "port 8232 of the seed"},
		"VPN-9 without a tunnel there are only the kubelets": {deployment("kube-apiserver", 1, 1), deployment("other", 1, 1), nil, "kubelets"},
	} {
		t.Run(name, func(t *testing.T) {
			got := TunnelAdvice(t.Context(), reader{deployment: &tc.client, err: tc.err}, []appsv1.Deployment{tc.server})
			if !strings.Contains(got, tc.want) {
				t.Errorf("advice is %q, want one with %q", got, tc.want)
			}
		})
	}
}
