// Package asleep finds what is needed to answer in the place of the API server of a Shoot that sleeps.
package asleep

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Server is the API server of a Shoot that sleeps.
type Server struct {
	// Shoot is the namespace and the name of the Shoot in the garden.
	Shoot types.NamespacedName
	// Certificate is that of the API server, so clients of the Shoot trust it.
	Certificate tls.Certificate
}

// Find returns the API server of the Shoot with this namespace in the seed; nil if the Shoot is not to sleep, or if the
// namespace belongs to no Shoot.
func Find(ctx context.Context, seed client.Reader, namespace string) (*Server, error) {
	cluster, err := contract.GetCluster(ctx, seed, namespace)
	if err != nil || !cluster.Hibernated() {
		return nil, err
	}
	secrets := &corev1.SecretList{}
	labels := client.MatchingLabels{secretsmanager.LabelManagedBy: secretsmanager.ManagedBy, secretsmanager.LabelName: constants.SecretNameKubeAPIServer}
	if err := seed.List(ctx, secrets, client.InNamespace(namespace), labels); err != nil {
		return nil, fmt.Errorf("list certificates of the API server in %q: %w", namespace, err)
	}
	if len(secrets.Items) == 0 {
		return nil, nil // the Shoot was created asleep
	}
	newest := slices.MaxFunc(secrets.Items, func(a, b corev1.Secret) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Labels[secretsmanager.LabelIssuedAt], b.Labels[secretsmanager.LabelIssuedAt]))
	})
	pair, err := tls.X509KeyPair(newest.Data[secretsmanager.KeyCert], newest.Data[secretsmanager.KeyPrivateKey])
	if err != nil {
		return nil, fmt.Errorf("read certificate of the API server in %q: %w", namespace, err)
	}
	return &Server{Shoot: types.NamespacedName{Namespace: cluster.Shoot.Namespace, Name: cluster.Shoot.Name}, Certificate: pair}, nil
}
