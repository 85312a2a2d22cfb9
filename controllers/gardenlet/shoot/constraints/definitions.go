package constraints

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Definitions decides whether objects can be read only while a conversion webhook answers, which it does not do while
// nodes are replaced or asleep. It keeps no more of the definitions than a message tells.
type Definitions struct{ names few }

// Add looks at some definitions.
func (d *Definitions) Add(definitions []apiextensionsv1.CustomResourceDefinition) {
	for _, definition := range definitions {
		conversion := definition.Spec.Conversion
		if conversion != nil && conversion.Strategy == apiextensionsv1.WebhookConverter && len(definition.Status.StoredVersions) > 1 {
			d.names.add(definition.Name)
		}
	}
}

// Finding is about all definitions that were added. It is True where all is well.
func (d *Definitions) Finding() conditions.Finding {
	const reason = "CRDsWithProblematicConversionWebhooks"
	if d.names.count == 0 {
		return conditions.True("No"+reason, "No CustomResourceDefinition with several stored versions has a conversion webhook.")
	}
	return conditions.False(reason, "CustomResourceDefinitions with several stored versions and a conversion webhook: "+d.names.text(", ")+
		". Rewrite their objects in one version, and remove the others from status.storedVersions.", gardencorev1beta1.ErrorProblematicWebhook)
}
