package health

import (
	"context"
	"fmt"
	"net"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/vpn"
)

// TunnelAdvice returns advice for users of a shoot whose API server does not reach its nodes: which end of the tunnel
// has no pod, or where to look. deployments are those in the namespace of the shoot in the seed.
func TunnelAdvice(ctx context.Context, shoot client.Reader, deployments []appsv1.Deployment) string {
	for _, mode := range []vpn.Mode{vpn.ReversedVPN(), vpn.Konnectivity()} {
		for i := range deployments {
			if deployments[i].Name != mode.Server {
				continue
			}
			if lack := lacks(&deployments[i]); lack != nil {
				return fmt.Sprintf("deployment %q in the seed: %v; it comes back with a reconciliation of the shoot", mode.Server, lack)
			}
			return clientAdvice(ctx, shoot, mode.Client)
		}
	}
	return "there is no tunnel between the API server and the nodes: check whether their kubelets run"
}

func clientAdvice(ctx context.Context, shoot client.Reader, name string) string {
	deployment := &appsv1.Deployment{}
	err := shoot.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: name}, deployment)
	if err == nil {
		err = lacks(deployment)
	}
	if err != nil {
		return fmt.Sprintf("deployment %q in namespace %s of the shoot: %v; check its pods and events there", name, metav1.NamespaceSystem, err)
	}
	_, port, _ := net.SplitHostPort(vpn.GatewayOf(deployment))
	return fmt.Sprintf("both ends run: check whether nodes may connect to port %s of the seed, and the log of deployment %q in namespace %s of the shoot",
		port, name, metav1.NamespaceSystem)
}

// lacks is Available for a workload that must always have replicas.
func lacks(d *appsv1.Deployment) error {
	if ptr.Deref(d.Spec.Replicas, 1) == 0 {
		return fmt.Errorf("it is scaled to 0")
	}
	return Available(d)
}
