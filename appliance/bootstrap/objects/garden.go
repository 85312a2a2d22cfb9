package objects

import (
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/gardens"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// VirtualServices is the usual range of Services of the virtual garden.
const VirtualServices = "100.64.0.0/16"

// window is when maintenance happens.
var window = gardencorev1beta1.MaintenanceTimeWindow{Begin: "220000+0000", End: "230000+0000"}

// Garden is what a bootstrap decides about the Garden.
type Garden struct {
	// Name of the Garden.
	Name string
	// Domain of the virtual garden; its API server is api.<Domain>.
	Domain string
	// Identity of the garden among all gardens. It must be the same each time.
	Identity string
	// Version of Kubernetes of the virtual garden, without "v".
	Version string
	// Pods, Services and VirtualServices are the ranges of the runtime cluster and of the virtual garden.
	Pods, Services, VirtualServices string
	// Zones of the nodes; may be empty.
	Zones []string
	// StorageClass of the volumes of etcd; empty means the cluster's default.
	StorageClass string
}

// Object returns the Garden with its defaults.
func (g Garden) Object() client.Object {
	garden := gardens.Object(gardens.Values{
		Name: g.Name, Domain: g.Domain, Identity: g.Identity, Version: g.Version, VirtualServices: g.VirtualServices,
		Runtime: gardencorev1beta1.SeedSpec{
			Networks: gardencorev1beta1.SeedNetworks{Pods: g.Pods, Services: g.Services}, Provider: gardencorev1beta1.SeedProvider{Zones: g.Zones},
		},
	})
	garden.Labels = map[string]string{LabelManagedBy: ManagedBy}
	garden.Spec.VirtualCluster.Maintenance.TimeWindow = window // a random one would change the Garden each time
	if g.StorageClass != "" {
		storage := func() *operatorv1alpha1.Storage { return &operatorv1alpha1.Storage{ClassName: ptr.To(g.StorageClass)} }
		etcd := &garden.Spec.VirtualCluster.ETCD
		if *etcd == nil {
			*etcd = &operatorv1alpha1.ETCD{}
		}
		if (*etcd).Main == nil {
			(*etcd).Main = &operatorv1alpha1.ETCDMain{}
		}
		if (*etcd).Events == nil {
			(*etcd).Events = &operatorv1alpha1.ETCDEvents{}
		}
		(*etcd).Main.Storage, (*etcd).Events.Storage = storage(), storage()
		operatorv1alpha1.SetDefaultsGarden(garden)
	}
	return garden
}
