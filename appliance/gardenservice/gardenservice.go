// Package gardenservice names the Service behind which pods of a seed find the API server of the garden.
package gardenservice

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Name of the Service. In embedded seeds it has no pods: the landscape knows where it leads, and no user of the seed can change that. In kind
// seeds it leads to the component landscape-callback. Gardener's operator uses the same name.
var Name = types.NamespacedName{Namespace: constants.GardenNamespace, Name: "virtual-garden-kube-apiserver"}

// Port of the Service.
const Port = 443

// URL by which pods find the garden.
func URL() string { return fmt.Sprintf("https://%s.%s.svc:%d", Name.Name, Name.Namespace, Port) }

// InSeed is where pods of a seed find a garden.
func InSeed(garden bootstrap.Garden) *bootstrap.GardenService {
	garden.Server = URL()
	return &bootstrap.GardenService{Garden: garden, Service: Name}
}
