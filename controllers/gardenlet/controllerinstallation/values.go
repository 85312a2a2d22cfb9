package controllerinstallation

import (
	"encoding/json"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Gardener is what all charts learn about the gardenlet and its garden.
type Gardener struct {
	// Version of the gardenlet.
	Version string
	// Garden is the identity of the garden.
	Garden string
	// Gates are the feature gates of the gardenlet.
	Gates map[string]bool
	// Kubeconfig is the name of the Secret with the kubeconfig of the garden in the namespace of the chart; empty if there is none.
	Kubeconfig string
}

// values are the values that take precedence over those of a deployment. Both names of an identity are set: charts made
// for old and for new versions of Gardener ask for one of them.
func (g Gardener) values(seed *gardencorev1beta1.Seed) (map[string]any, error) {
	about, err := seedValues(seed)
	if err != nil {
		return nil, fmt.Errorf("describe seed %q for charts: %w", seed.Name, err)
	}
	gates := map[string]any{}
	for name, on := range g.Gates {
		gates[name] = on
	}
	return map[string]any{
		"version": g.Version,
		"garden": map[string]any{
			"clusterIdentity": g.Garden, "identifier": g.Garden, "genericKubeconfigSecretName": g.Kubeconfig,
		},
		"gardenlet": map[string]any{"featureGates": gates},
		"seed":      about,
	}, nil
}

func seedValues(seed *gardencorev1beta1.Seed) (map[string]any, error) {
	identity, domain, visible, protected := "", "", true, false
	if seed.Status.ClusterIdentity != nil {
		identity = *seed.Status.ClusterIdentity
	}
	if seed.Spec.Ingress != nil {
		domain = seed.Spec.Ingress.Domain
	}
	if settings := seed.Spec.Settings; settings != nil && settings.Scheduling != nil {
		visible = settings.Scheduling.Visible
	}
	for _, taint := range seed.Spec.Taints {
		protected = protected || taint.Key == gardencorev1beta1.SeedTaintProtected
	}
	out, err := plain(map[string]any{
		"name": seed.Name, "identifier": identity, "clusterIdentity": identity,
		"annotations": seed.Annotations, "labels": seed.Labels,
		"provider": seed.Spec.Provider.Type, "region": seed.Spec.Provider.Region,
		"ingressDomain": domain, "protected": protected, "visible": visible,
		"taints": seed.Spec.Taints, "networks": seed.Spec.Networks, "blockCIDRs": seed.Spec.Networks.BlockCIDRs,
		"spec": seed.Spec,
	})
	if err != nil {
		return nil, err
	}
	providers, _, err := unstructured.NestedSlice(out, "spec", "volume", "providers")
	if err != nil {
		return nil, err
	}
	out["volumeProvider"], out["volumeProviders"] = "", append([]any{}, providers...)
	if len(providers) > 0 {
		out["volumeProvider"], _, err = unstructured.NestedString(providers[0].(map[string]any), "name")
	}
	return out, err
}

// over lays the values of the gardenlet over those that a deployment has for the same key. What only the deployment has
// stays.
func over(below any, above map[string]any) map[string]any {
	out := map[string]any{}
	if given, is := below.(map[string]any); is {
		maps.Copy(out, given)
	}
	for key, value := range above {
		if inner, is := value.(map[string]any); is {
			value = over(out[key], inner)
		}
		out[key] = value
	}
	return out
}

// plain turns typed values into what templates see of a file of values.
func plain(typed map[string]any) (map[string]any, error) {
	raw, err := json.Marshal(typed)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	return out, json.Unmarshal(raw, &out)
}
