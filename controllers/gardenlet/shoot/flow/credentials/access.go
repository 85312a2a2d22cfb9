package credentials

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// deployAccessSecrets writes the kubeconfigs that components and extensions mount.
func (c Credentials) deployAccessSecrets(ctx context.Context, made *secretsmanager.Manager) error {
	ca := made.Bundle(constants.SecretNameCACluster).Data[secretsmanager.KeyBundle]
	token := access.TokenKubeconfig(c.Space.Name, ca)
	if err := c.Space.ApplyAll(ctx, access.CertificateKubeconfig(c.Space.Name), token); err != nil {
		return err
	}
	return c.annotateCluster(ctx, token.Name)
}

// Publish writes the credentials that users need, and the key with which the garden signs certificates for users. The API servers of
// the shoot must already accept all of them.
func (c Credentials) Publish(ctx context.Context, made Made) error {
	if err := c.Project.PublishCAs(ctx, made.Manager); err != nil {
		return err
	}
	if err := c.Project.PublishObservability(ctx, made.Manager); err != nil {
		return err
	}
	addresses, err := c.Exposure.Advertised()
	if err != nil {
		return err
	}
	return c.Project.PublishKubeconfig(ctx, made.Manager, addresses[0].URL)
}

// annotateCluster writes the name of the kubeconfig that extensions mount into an annotation of the Cluster object.
func (c Credentials) annotateCluster(ctx context.Context, kubeconfig string) error {
	cluster := &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: c.Space.Name}}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, constants.AnnotationGenericTokenKubeconfigSecretName, kubeconfig)
	if err := c.Space.Client.Patch(ctx, cluster, client.RawPatch("application/merge-patch+json", patch), seed.Owner); err != nil {
		return fmt.Errorf("annotate cluster %q: %w", c.Space.Name, err)
	}
	return nil
}
