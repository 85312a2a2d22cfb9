package seed

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

// parts are what a seed consists of. Each has the inputs that it reads.
type parts struct {
	system          system
	scaling         scaling
	frontDoors      frontDoors
	callbacks       callbacks
	admission       seedAdmission
	resourceManager resourceManager
	autoscaling     autoscaling
	monitoring      monitoring
	inGarden        inGarden
}

func (r *Reconciler) parts() parts {
	c := r.cluster()
	return parts{
		system: system{c}, scaling: scaling{r.SeedClient, r.crds, r.ScaleEtcds}, callbacks: callbacks{c, r.Callback}, admission: seedAdmission{c}, frontDoors: frontDoors{c, r.FrontDoors}, resourceManager: resourceManager{c, r.runtime},
		autoscaling: autoscaling{c, r.Clock, r.crds}, monitoring: monitoring{c, r.Clock, r.SeedName, r.Monitoring}, inGarden: inGarden{r.Garden},
	}
}

// cluster is a seed, as its components are written to it.
type cluster struct {
	client client.Client
	image  string
	pods   *podsignature.Signer
}

func (r *Reconciler) cluster() cluster { return cluster{r.SeedClient, r.Image, r.Pods} }

func (c cluster) applier() patch.Applier {
	return patch.Applier{Client: c.client, Owner: fieldOwner, Pods: c.pods}
}

// destroy begins with the last object, the Deployment, since its pods would register their webhooks again.
func (c cluster) destroy(ctx context.Context, objects []client.Object) error {
	for i := range objects {
		object := objects[len(objects)-1-i]
		if err := c.client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %T %q: %w", object, object.GetName(), err)
		}
	}
	return nil
}
