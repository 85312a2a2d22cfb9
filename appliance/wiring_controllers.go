package appliance

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-base/version"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/landscape"
	seedadmission "github.com/gardener-up/gardener-up/controllers/admission/seed"
	"github.com/gardener-up/gardener-up/controllers/controllermanager"
	"github.com/gardener-up/gardener-up/controllers/druid"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	gardenletseed "github.com/gardener-up/gardener-up/controllers/gardenlet/seed"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager"
	resourcemanagerconfig "github.com/gardener-up/gardener-up/controllers/resourcemanager/config"
	"github.com/gardener-up/gardener-up/controllers/scheduler"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/local"
)

// emulatedMinors is how many minor versions before its own a kube-apiserver can emulate.
const emulatedMinors = 3

// controllers lists what makes a landscape out of the servers: its first objects, and all controllers.
func (a *appliance) controllers(seed seed) []component.Part {
	managers := &managers{a: a, seed: seed}
	return []component.Part{
		{After: []string{"gardener-api"}, Title: titleControllers, Component: component.NewStep("landscape", a.applyLandscape, nil)},
		{After: []string{seedServing}, Title: titleControllers, Component: component.NewStep("seed-kinds", managers.installSeedKinds, nil)},
		{After: append([]string{"landscape", "seed-kinds"}, seed.before()...), Title: titleControllers, Restart: true,
			Component: component.NewLoop("controllers", managers.run, managers.ready)},
		{After: append([]string{"controllers", "front-door"}, seed.beside()...), Title: "seed " + a.Config.Seed.Name, Component: a.seedGate()},
	}
}

// applyLandscape writes the objects that everybody needs to start.
func (a *appliance) applyLandscape(ctx context.Context) error {
	c, err := uncachedClient(a.gardenAs("appliance", a.bundle.Garden.Appliance).Config(), install.AddGarden)
	if err != nil {
		return err
	}
	objects, err := landscape.Objects(landscape.Values{
		InternalDomain: a.Config.InternalDomain(), ExternalDomain: a.Config.ExternalDomain(), KubernetesVersions: kubernetesVersions(),
	})
	if err != nil {
		return err
	}
	if err := landscape.Apply(ctx, c, objects); err != nil {
		return err
	}
	return landscape.Register(ctx, c, local.Registrations())
}

func (m *managers) installSeedKinds(ctx context.Context) error {
	config, err := m.seed.config()
	if err != nil {
		return err
	}
	c, err := uncachedClient(config, install.AddSeed)
	if err != nil {
		return err
	}
	return gardenletseed.InstallCRDs(ctx, c)
}

// managers runs the controllers of garden and seed.
type managers struct {
	a    *appliance
	seed seed
	both atomic.Pointer[[2]manager.Manager]
}

func (m *managers) run(ctx context.Context) error {
	gardenScheme, err := schemeOf(install.AddGarden)
	if err != nil {
		return err
	}
	seedScheme, err := schemeOf(install.AddSeed)
	if err != nil {
		return err
	}
	a := m.a
	gardenManager, err := a.newManager("garden-manager", a.gardenAs("appliance", a.bundle.Garden.Appliance).Config(), gardenScheme)
	if err != nil {
		return err
	}
	seedConfig, err := m.seed.config()
	if err != nil {
		return err
	}
	seedManager, err := a.newManager("seed-manager", seedConfig, seedScheme)
	if err != nil {
		return err
	}
	if err := m.add(gardenManager, seedManager); err != nil {
		return err
	}
	m.both.Store(&[2]manager.Manager{gardenManager, seedManager})
	defer m.both.Store(nil)
	return runManagers(ctx, gardenManager, seedManager)
}

// add wires every controller to the manager of the cluster its primary kind lives in.
func (m *managers) add(gardenManager, seedManager manager.Manager) error {
	a := m.a
	if err := controllermanager.AddToManager(gardenManager, controllermanager.Config{}); err != nil {
		return fmt.Errorf("add controller manager: %w", err)
	}
	if err := scheduler.AddToManager(gardenManager, scheduler.Config{}); err != nil {
		return fmt.Errorf("add scheduler: %w", err)
	}
	nodes, err := m.seed.nodes()
	if err != nil {
		return err
	}
	configuration, err := a.gardenletConfiguration(nodes)
	if err != nil {
		return err
	}
	gardenletConfig := gardenlet.Config{
		Configuration: configuration, Identity: a.gardenletIdentity(),
		FrontDoorPort: int(a.ports["front-door"]), FrontDoorAddress: a.Config.FrontDoor.Address,
	}
	m.seed.adapt(&gardenletConfig)
	if err := gardenlet.AddToManager(gardenManager, seedManager, gardenletConfig); err != nil {
		return fmt.Errorf("add gardenlet: %w", err)
	}
	if err := addResourceManagers(gardenManager, seedManager, m.seed.callsBack()); err != nil {
		return err
	}
	if err := druid.AddToManager(seedManager, druid.Config{}); err != nil {
		return fmt.Errorf("add druid: %w", err)
	}
	return m.seed.addProvider(seedManager)
}

// addResourceManagers adds those of the seed and of the garden, and what guards the seed's objects. Those of shoots are pods.
// Webhooks are served only if the seed's API server can call this process.
func addResourceManagers(gardenManager, seedManager manager.Manager, webhooks bool) error {
	on := resourcemanagerconfig.Switch{Enabled: true}
	seedConfig := resourcemanager.Config{
		Name: "seed", Class: "seed", GarbageCollectorPeriod: time.Hour,
		Webhook: resourcemanager.WebhookServer{Name: "gardener-resource-manager", BindAddress: "127.0.0.1:0", Namespace: "garden"},
		Webhooks: resourcemanagerconfig.Webhooks{
			ProjectedTokenMount:    resourcemanagerconfig.ProjectedTokenMount{Switch: on, ExpirationSeconds: 43200},
			HighAvailabilityConfig: resourcemanagerconfig.HighAvailabilityConfig{Switch: on},
		},
	}
	if !webhooks {
		seedConfig.Webhook, seedConfig.Webhooks = resourcemanager.WebhookServer{}, resourcemanagerconfig.Webhooks{}
	}
	if err := resourcemanager.AddToManager(seedManager, seedManager, seedConfig); err != nil {
		return fmt.Errorf("add resource manager of the seed: %w", err)
	}
	gardenConfig := resourcemanager.Config{
		Name: "garden", Namespaces: []string{"garden"}, TokenRequestor: true, TokenRequestorClass: resourcesv1alpha1.ResourceManagerClassGarden,
	}
	if err := resourcemanager.AddToManager(seedManager, gardenManager, gardenConfig); err != nil {
		return fmt.Errorf("add resource manager of the garden: %w", err)
	}
	if !webhooks {
		return nil
	}
	if err := seedadmission.AddToManager(seedManager, seedadmission.Config{}); err != nil {
		return fmt.Errorf("add admission of the seed: %w", err)
	}
	return nil
}

func (m *managers) ready(ctx context.Context) error {
	both := m.both.Load()
	if both == nil {
		return fmt.Errorf("managers are not made yet")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for _, mgr := range both {
		if !mgr.GetCache().WaitForCacheSync(ctx) {
			return fmt.Errorf("caches are not filled yet")
		}
	}
	return nil
}

// seedGate is ready when the gardenlet says so of its seed.
func (a *appliance) seedGate() component.Component {
	var garden client.Client
	return component.NewStep("seed", nil, func(ctx context.Context) (err error) {
		if garden == nil {
			if garden, err = uncachedClient(a.gardenAs("appliance", a.bundle.Garden.Appliance).Config(), install.AddGarden); err != nil {
				return err
			}
		}
		object := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: a.Config.Seed.Name}}
		if err := garden.Get(ctx, types.NamespacedName{Name: a.Config.Seed.Name}, object); err != nil {
			return fmt.Errorf("read seed %q: %w", a.Config.Seed.Name, err)
		}
		return seedReady(object)
	})
}

// seedReady names the first condition that a usable seed lacks.
func seedReady(object *gardencorev1beta1.Seed) error {
	for _, kind := range []gardencorev1beta1.ConditionType{
		gardencorev1beta1.SeedGardenletReady, gardencorev1beta1.SeedExtensionsReady, gardencorev1beta1.SeedSystemComponentsHealthy,
	} {
		found := false
		for _, condition := range object.Status.Conditions {
			if condition.Type != kind {
				continue
			}
			if found = true; condition.Status != gardencorev1beta1.ConditionTrue {
				return fmt.Errorf("seed %q: %s is %s: %s", object.Name, kind, condition.Status, condition.Message)
			}
		}
		if !found {
			return fmt.Errorf("seed %q: %s is not reported yet", object.Name, kind)
		}
	}
	return nil
}

// kubernetesVersions are those this binary serves: its own and, by emulation, the minors before it.
func kubernetesVersions() []string {
	own := strings.TrimPrefix(version.Get().GitVersion, "v")
	versions := []string{own}
	var major, minor int
	if _, err := fmt.Sscanf(own, "%d.%d", &major, &minor); err == nil {
		for n := 1; n <= emulatedMinors; n++ {
			versions = append(versions, fmt.Sprintf("%d.%d.0", major, minor-n))
		}
	}
	return versions
}
