package appliance

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-base/version"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/landscape"
	gardenletseed "github.com/gardener-up/gardener-up/controllers/gardenlet/seed"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager"
	resourcemanagerconfig "github.com/gardener-up/gardener-up/controllers/resourcemanager/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/local"
)

// emulatedMinors is how many minor versions before its own a kube-apiserver can emulate.
const emulatedMinors = 3

// controllers lists what makes a landscape out of the servers: its first objects, and all controllers.
func (a *appliance) controllers(seed runtimeCluster) []component.Part {
	m := &managers{a: a, seed: seed}
	parts := []component.Part{
		{After: []string{"gardener-api"}, Title: titleControllers, Component: component.NewStep("landscape", a.applyLandscape, nil)},
		{After: []string{seedServing}, Title: titleControllers, Component: component.NewStep("seed-kinds", m.installSeedKinds, nil)},
		{After: append([]string{"landscape", "seed-kinds"}, seed.before()...), Title: titleControllers,
			Component: component.NewLoop("caches", m.runCaches, m.cachesReady)},
	}
	gate := append([]string{"front-door"}, seed.beside()...)
	for _, role := range append(m.gardenRoles(), m.seedRoles()...) { // each may stop and start without the others
		parts = append(parts, component.Part{After: []string{"caches"}, Title: titleControllers, Restart: true, Component: role, Health: m.health(role.Name())})
		gate = append(gate, role.Name())
	}
	parts = append(parts, component.Part{After: []string{"caches"}, Restart: true, Component: a.seeds.part(m), StopTimeout: seedsStopTimeout},
		component.Part{After: []string{"landscape"}, Title: a.titleFurther(), Component: a.further.part(), ReadyTimeout: 2 * ownSeedsPatience, StopTimeout: ownSeedsStopTimeout})
	return append(parts, component.Part{After: gate, Title: "seed " + a.Config.Seed.Name, Component: a.seedGate()})
}

// applyLandscape writes the objects that everybody needs to start.
func (a *appliance) applyLandscape(ctx context.Context) error {
	c, err := a.garden()
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
	if m.garden != nil {
		return gardenletseed.InstallCRDs(ctx, c)
	}
	return gardenletseed.InstallCRDs(ctx, c, crds.Operator, crds.SelfHosted) // the first seed is the runtime cluster, too
}

// addGardenResourceManager adds the resource manager of the garden, whose objects are in the runtime cluster.
func addGardenResourceManager(gardenManager, runtimeManager manager.Manager) error {
	gardenConfig := resourcemanager.Config{
		Name: "garden", Namespaces: []string{"garden"}, TokenRequestor: true, TokenRequestorClass: resourcesv1alpha1.ResourceManagerClassGarden,
	}
	if err := resourcemanager.AddToManager(runtimeManager, gardenManager, gardenConfig); err != nil {
		return fmt.Errorf("add resource manager of the garden: %w", err)
	}
	return nil
}

// addSeedResourceManager adds what manages the objects of a seed whose API server can call this process; in other seeds the
// gardenlet deploys it. The resource managers of shoots are pods.
func addSeedResourceManager(seedManager manager.Manager) error {
	if err := resourcemanager.AddToManager(seedManager, seedManager, seedResourceManager()); err != nil {
		return fmt.Errorf("add resource manager of the seed: %w", err)
	}
	return nil
}

// seedResourceManager has the webhooks of every seed.
func seedResourceManager() resourcemanager.Config {
	on := resourcemanagerconfig.Switch{Enabled: true}
	return resourcemanager.Config{
		Name: "seed", Class: "seed", GarbageCollectorPeriod: time.Hour,
		Webhook: resourcemanager.WebhookServer{Name: "gardener-resource-manager", BindAddress: "127.0.0.1:0", Namespace: "garden"},
		Webhooks: resourcemanagerconfig.Webhooks{
			ProjectedTokenMount:    resourcemanagerconfig.ProjectedTokenMount{Switch: on, ExpirationSeconds: 43200},
			HighAvailabilityConfig: resourcemanagerconfig.HighAvailabilityConfig{Switch: on}, PodTopologySpreadConstraints: on, PodZoneAffinity: on,
			ExtensionValidation: on, EndpointSliceHints: on,
		},
	}
}

// seedGate is ready when the gardenlet says so of its seed.
func (a *appliance) seedGate() component.Component {
	return component.NewStep("seed", nil, func(ctx context.Context) error {
		garden, err := a.garden()
		if err != nil {
			return err
		}
		object := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: a.Config.Seed.Name}}
		if err := garden.Get(ctx, types.NamespacedName{Name: a.Config.Seed.Name}, object); err != nil {
			return fmt.Errorf("read seed %q: %w", a.Config.Seed.Name, err)
		}
		return SeedReady(object)
	})
}

// SeedReady names the first condition that a usable seed lacks. One whose components are still being started is usable:
// what they guard is guarded from the start.
func SeedReady(object *gardencorev1beta1.Seed) error {
	for _, kind := range []gardencorev1beta1.ConditionType{
		gardencorev1beta1.SeedBootstrapped, gardencorev1beta1.SeedGardenletReady, gardencorev1beta1.SeedExtensionsReady, gardencorev1beta1.SeedSystemComponentsHealthy,
	} {
		found := false
		for _, condition := range object.Status.Conditions {
			if condition.Type != kind {
				continue
			}
			starting := kind == gardencorev1beta1.SeedSystemComponentsHealthy && condition.Status == gardencorev1beta1.ConditionProgressing
			if found = true; condition.Status != gardencorev1beta1.ConditionTrue && !starting {
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
