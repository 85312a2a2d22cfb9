package deployed

import (
	"cmp"
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// readTimeout bounds a question to the runtime cluster about the virtual garden.
const readTimeout = 15 * time.Second

// connection is the kubeconfig by which the operator reaches the virtual garden.
func (r run) connection() *corev1.Secret {
	cluster := access.Cluster{Name: "virtual-garden", Server: r.server(), CA: r.bundle(constants.SecretNameCACluster)}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: constants.SecretNameGardenerInternal, Namespace: r.Namespace}, Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{constants.DataKeyKubeconfig: access.CertificateKubeconfigData(cluster, r.made.operator)},
	}
}

// Connect returns how this process reaches the virtual garden that the host has deployed.
func (in Inputs) Connect() host.Connect { return in.connect }

func (in Inputs) connect(ctx context.Context) (*rest.Config, error) {
	secret := &corev1.Secret{}
	if err := in.get(ctx, constants.SecretNameGardenerInternal, secret); err != nil {
		if apierrors.IsNotFound(err) && !apierrors.IsNotFound(in.get(ctx, gardenerAPIServer, &appsv1.Deployment{})) {
			// Gardener's API was deployed with it, so the virtual garden may have anything. A reconciliation writes it again.
			return nil, fmt.Errorf("the virtual garden has lost the kubeconfig for the operator: %s", err.Error())
		}
		return nil, fmt.Errorf("the virtual garden has no kubeconfig for the operator yet: %w", err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data[constants.DataKeyKubeconfig])
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig in Secret %q: %w", secret.Name, err)
	}
	if in.Reach != nil {
		config = in.Reach(config)
	}
	return config, nil
}

// access is how others reach the virtual garden. Nobody makes records for its domains: they have to lead to the Service of its API server.
func (in Inputs) access(garden *operatorv1alpha1.Garden) host.Access {
	out := host.Access{ForPods: in.server(), CA: in.authorities}
	if hosts := hostsOf(garden); len(hosts) > 0 {
		out.Server = "https://" + hosts[0]
	}
	out.Server = cmp.Or(out.Server, out.ForPods)
	return out
}

// authorities are those in the kubeconfig of the operator.
func (in Inputs) authorities() ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	config, err := in.connect(ctx)
	if err != nil {
		return nil, err
	}
	return config.CAData, nil
}
