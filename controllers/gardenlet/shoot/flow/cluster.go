package flow

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// annotateCluster tells extensions the name of the kubeconfig they mount.
func (p *Plan) annotateCluster(ctx context.Context) error {
	cluster := &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: p.namespace}}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, constants.AnnotationGenericTokenKubeconfigSecretName, p.genericKubeconfig)
	if err := p.SeedClient.Patch(ctx, cluster, client.RawPatch("application/merge-patch+json", patch), Owner); err != nil {
		return fmt.Errorf("annotate cluster %q: %w", p.namespace, err)
	}
	return nil
}
