package network

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/healthcheck"
)

// modules are daemons that Gardener installs beside the network, by the beginning of their names.
var modules = []string{"kube-proxy", "node-local-dns"}

// Health checks the networks of Shoots.
type Health struct {
	// Reader reads the kubeconfigs of Shoots in the seed without a cache.
	Reader client.Reader
	// Manifest is that of the Actuator. If it is empty, the nodes tell themselves how their network is.
	Manifest string
	// ShootConfig makes the configuration of a client from the kubeconfig of a Shoot.
	ShootConfig func(kubeconfig []byte) (*rest.Config, error)
	// Clock tells the time; nil for the real one.
	Clock func() time.Time
}

func (h *Health) now() time.Time {
	if h.Clock == nil {
		return time.Now()
	}
	return h.Clock()
}

// Options are the checks of all types by the provider.
func (h *Health) Options(provider string) healthcheck.Options[*extensionsv1alpha1.Network] {
	return healthcheck.Options[*extensionsv1alpha1.Network]{
		Provider: provider, Types: Types(), Condition: "SystemComponentsHealthy", Check: h.Check,
		WokenBy: &resourcesv1alpha1.ManagedResource{}, // the resource manager watches the daemons
		Wakes:   func(object client.Object) bool { return object.GetName() == managedResourceName },
	}
}

// Check is a healthcheck.Check.
func (h *Health) Check(ctx context.Context, _ *contract.Cluster, network *extensionsv1alpha1.Network) (healthcheck.Finding, error) {
	status := api.NetworkStatus{}
	if err := api.Decode(network.Status.ProviderStatus, &status); err != nil {
		return healthcheck.Finding{}, err
	}
	finding, err := h.measure(ctx, network, &status)
	if err != nil {
		unmeasured(&status, "the shoot could not be asked")
	}
	network.Status.ProviderStatus = api.Encode(status)
	return finding, err
}

// measure fills the status and judges it.
func (h *Health) measure(ctx context.Context, network *extensionsv1alpha1.Network, status *api.NetworkStatus) (healthcheck.Finding, error) {
	shoot, err := h.connect(ctx, network.Namespace)
	if err != nil {
		return healthcheck.Finding{}, err
	}
	defer shoot.release()
	if h.Manifest == "" {
		return examineNodes(ctx, shoot.client, status, h.now())
	}
	return examine(ctx, h.Manifest, network, trial{shoot: shoot.client, ask: shoot.ask}, status)
}

// examine looks at the daemons and lets pods try connections.
func examine(ctx context.Context, manifest string, network *extensionsv1alpha1.Network, connections trial, status *api.NetworkStatus) (healthcheck.Finding, error) {
	made, err := render(manifest, network.Spec.PodCIDR)
	if err != nil {
		return healthcheck.Finding{}, err
	}
	ill, err := daemons(ctx, connections.shoot, made.daemons, status)
	if err != nil {
		return healthcheck.Finding{}, err
	}
	tests, err := connections.run(ctx)
	if err != nil {
		return healthcheck.Finding{}, err
	}
	status.ConnectivityTests, status.NotMeasured = tests.report()
	switch {
	case len(ill) > 0:
		return bad("NetworkDaemonUnhealthy", strings.Join(ill, "; ")), nil
	case len(tests.failures) > 0:
		return bad("ConnectivityTestFailed", tests.failures[0]), nil
	}
	message := "All daemons of the network are healthy. " + tests.summary()
	return healthcheck.Finding{Status: gardencorev1beta1.ConditionTrue, Reason: "NetworkHealthy", Message: message}, nil
}

func bad(reason, message string) healthcheck.Finding {
	return healthcheck.Finding{Status: gardencorev1beta1.ConditionFalse, Reason: reason, Message: message}
}

// daemons reports the daemons in the shoot and returns what is wrong with those of the network. Others have conditions of their own.
func daemons(ctx context.Context, shoot client.Reader, own []string, status *api.NetworkStatus) ([]string, error) {
	list := &appsv1.DaemonSetList{}
	if err := shoot.List(ctx, list, client.InNamespace(metav1.NamespaceSystem)); err != nil {
		return nil, fmt.Errorf("list daemons of the shoot: %w", err)
	}
	status.Components, status.NetworkModules = map[string]bool{}, map[string]bool{}
	var ill []string
	for _, name := range own {
		at := slices.IndexFunc(list.Items, func(d appsv1.DaemonSet) bool { return d.Name == name })
		problem := "is missing"
		if at >= 0 {
			problem = unhealthy(&list.Items[at])
		}
		status.Components[name] = problem == ""
		if problem != "" {
			ill = append(ill, fmt.Sprintf("daemon %s of the network %s", name, problem))
		}
	}
	for i := range list.Items {
		for _, module := range modules {
			if strings.HasPrefix(list.Items[i].Name, module) {
				healthy, several := status.NetworkModules[module] // kube-proxy has a DaemonSet for each pool
				status.NetworkModules[module] = unhealthy(&list.Items[i]) == "" && (healthy || !several)
			}
		}
	}
	return ill, nil
}

// unhealthy says what is wrong with a daemon; nothing if the text is empty. During a roll-out, too, a node without its pod is one whose
// network nobody maintains.
func unhealthy(d *appsv1.DaemonSet) string {
	wanted := d.Status.DesiredNumberScheduled
	switch {
	case d.Status.ObservedGeneration < d.Generation:
		return "has changed, and its pods are not known yet"
	case d.Status.CurrentNumberScheduled < wanted:
		return fmt.Sprintf("has pods on %d of %d nodes", d.Status.CurrentNumberScheduled, wanted)
	case d.Status.NumberUnavailable > 0:
		return fmt.Sprintf("is not available on %d of %d nodes", d.Status.NumberUnavailable, wanted)
	}
	return ""
}
