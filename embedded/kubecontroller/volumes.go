package kubecontroller

import (
	"context"
	"fmt"

	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/names"
	"k8s.io/kubernetes/pkg/controller/volume/persistentvolume"
)

// volumes binds claims to volumes. kube-controller-manager's own has plugins for volumes. That for directories removes any directory of the
// machine that a released PersistentVolume names, below /tmp or behind links there. This one has no plugins: those who provision volumes
// remove them.
type volumes struct {
	controller *persistentvolume.PersistentVolumeController
}

func newVolumes(ctx context.Context, c app.ControllerContext) (app.Controller, error) {
	config := c.ComponentConfig.PersistentVolumeBinderController
	client, err := c.NewClient("persistent-volume-binder")
	if err != nil {
		return nil, err
	}
	controller, err := persistentvolume.NewController(ctx, persistentvolume.ControllerParameters{
		KubeClient: client, SyncPeriod: config.PVClaimBinderSyncPeriod.Duration, EnableDynamicProvisioning: config.VolumeConfiguration.EnableDynamicProvisioning,
		VolumeInformer: c.InformerFactory.Core().V1().PersistentVolumes(), ClaimInformer: c.InformerFactory.Core().V1().PersistentVolumeClaims(),
		ClassInformer: c.InformerFactory.Storage().V1().StorageClasses(),
		PodInformer:   c.InformerFactory.Core().V1().Pods(), NodeInformer: c.InformerFactory.Core().V1().Nodes(),
	})
	if err != nil {
		return nil, fmt.Errorf("make controller of volumes: %w", err)
	}
	return &volumes{controller}, nil
}

func (v *volumes) Name() string { return names.PersistentVolumeBinderController }

func (v *volumes) Run(ctx context.Context) { v.controller.Run(ctx) }
