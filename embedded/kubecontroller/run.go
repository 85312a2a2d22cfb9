package kubecontroller

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/server/healthz"
	cacheddiscovery "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	controllersmetrics "k8s.io/component-base/metrics/prometheus/controllers"
	"k8s.io/controller-manager/pkg/clientbuilder"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/names"
	kubectrlmgrconfig "k8s.io/kubernetes/pkg/controller/apis/config"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
)

// mappingLifetime bounds how long an added or removed kind may go unnoticed.
const mappingLifetime = 30 * time.Second

// errBuild is what controllers fail with that have not begun, for example while the files of the signing CA are being replaced.
var errBuild = errors.New("build controllers")

// run builds and runs the controllers until ctx ends.
func run(ctx context.Context, client *rest.Config, config kubectrlmgrconfig.KubeControllerManagerConfiguration, enabled []string) error {
	controllerContext, err := newControllerContext(ctx, client, config, enabled)
	if err != nil {
		return err
	}
	descriptors := app.NewControllerDescriptors()
	for name := range descriptors {
		if !slices.Contains(enabled, name) || name == names.ServiceAccountTokenController || name == names.PersistentVolumeBinderController {
			delete(descriptors, name)
		}
	}
	controllers, err := app.BuildControllers(ctx, controllerContext, descriptors, nil, noHealth{})
	if err != nil {
		return fmt.Errorf("%w: %w", errBuild, err)
	}
	if slices.Contains(enabled, names.ServiceAccountTokenController) {
		tokens, err := newTokens(ctx, controllerContext)
		if err != nil {
			return fmt.Errorf("build %s: %w", names.ServiceAccountTokenController, err)
		}
		if tokens != nil {
			controllers = append(controllers, tokens)
		}
	}
	if slices.Contains(enabled, names.PersistentVolumeBinderController) {
		volumes, err := newVolumes(ctx, controllerContext)
		if err != nil {
			return fmt.Errorf("build %s: %w", names.PersistentVolumeBinderController, err)
		}
		controllers = append(controllers, volumes)
	}
	controllerContext.InformerFactory.Start(ctx.Done())
	defer controllerContext.InformerFactory.Shutdown()
	controllerContext.ObjectOrMetadataInformerFactory.Start(ctx.Done())
	close(controllerContext.InformersStarted)
	if !app.RunControllers(ctx, controllerContext, controllers, 0, shutdownTimeout) {
		return errors.New("some controllers did not return in time")
	}
	return ctx.Err()
}

// newControllerContext gives controllers the same surroundings as kube-controller-manager, but without anything that
// exists once per process.
func newControllerContext(ctx context.Context, client *rest.Config, config kubectrlmgrconfig.KubeControllerManagerConfiguration, enabled []string) (app.ControllerContext, error) {
	var none app.ControllerContext
	clients := clientbuilder.SimpleControllerClientBuilder{ClientConfig: client}
	informerClient, err := clients.Client("shared-informers")
	if err != nil {
		return none, fmt.Errorf("make client for informers: %w", err)
	}
	metadataConfig, err := clients.Config("metadata-informers")
	if err != nil {
		return none, fmt.Errorf("make configuration for metadata: %w", err)
	}
	metadataClient, err := metadata.NewForConfig(metadataConfig)
	if err != nil {
		return none, fmt.Errorf("make client for metadata: %w", err)
	}
	discovery, err := clients.DiscoveryClient("controller-discovery")
	if err != nil {
		return none, fmt.Errorf("make client for discovery: %w", err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cacheddiscovery.NewMemCacheClient(discovery))
	go wait.UntilWithContext(ctx, func(context.Context) { mapper.Reset() }, mappingLifetime)

	resync := func() time.Duration {
		return time.Duration(float64(config.Generic.MinResyncPeriod.Duration) * (1 + rand.Float64()))
	}
	typed := informers.NewSharedInformerFactoryWithOptions(informerClient, resync(), informers.WithTransform(trim))
	partial := metadatainformer.NewSharedInformerFactoryWithOptions(metadataClient, resync(), metadatainformer.WithTransform(trim))
	started := make(chan struct{})
	c := app.ControllerContext{
		ClientBuilder:                   clients,
		InformerFactory:                 typed,
		ObjectOrMetadataInformerFactory: informerfactory.NewInformerFactory(typed, partial),
		ComponentConfig:                 config,
		RESTMapper:                      mapper,
		InformersStarted:                started,
		ResyncPeriod:                    resync,
		ControllerManagerMetrics:        controllersmetrics.NewControllerManagerMetrics("kube-controller-manager"),
	}
	if slices.Contains(enabled, names.GarbageCollectorController) {
		ignored := map[schema.GroupResource]struct{}{}
		for _, r := range config.GarbageCollectorController.GCIgnoredResources {
			ignored[schema.GroupResource{Group: r.Group, Resource: r.Resource}] = struct{}{}
		}
		c.GraphBuilder = garbagecollector.NewDependencyGraphBuilder(ctx, metadataClient, mapper, ignored, c.ObjectOrMetadataInformerFactory, started)
	}
	return c, nil
}

// noHealth drops health checks, because no port serves them.
type noHealth struct{}

func (noHealth) AddHealthChecker(...healthz.HealthChecker) {}
