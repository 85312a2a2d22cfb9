package legacy

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// cloudSection turns the section about one provider into what shoots have for all of them; ranges of addresses go to
// networking.
func cloudSection(n node, provider string, networking document) document {
	zones := n.texts("zones")
	image := machineImage(n)
	networks := n.part("networks")
	for _, key := range []string{"nodes", "pods", "services"} {
		networks.move(key, networking, key)
	}
	out := document{"type": provider, "workers": workers(n, image, zones)}
	nodes, infrastructure, controlPlane := configs[provider](n, networks, zones)
	if networking["nodes"] == nil && nodes != "" {
		networking["nodes"] = nodes
	}
	out["infrastructureConfig"] = config(provider, "InfrastructureConfig", infrastructure)
	if len(controlPlane) > 0 {
		out["controlPlaneConfig"] = config(provider, "ControlPlaneConfig", controlPlane)
	}
	return out
}

func config(provider, kind string, fields document) document {
	fields["apiVersion"], fields["kind"] = provider+".provider.extensions.gardener.cloud/v1alpha1", kind
	return fields
}

// byZone gives each zone its element of lists, which have one for each zone.
func byZone(n node, zones []string, lists map[string]string) []any {
	var all []any
	for _, zone := range zones {
		all = append(all, document{"name": zone})
	}
	for key, name := range lists {
		values := n.texts(key)
		if len(values) != len(zones) {
			n.run.errs = append(n.run.errs, field.Invalid(n.at(key), values, fmt.Sprintf("must have one element for each of the %d zones", len(zones))))
			continue
		}
		for i, value := range values {
			all[i].(document)[name] = value
		}
	}
	return all
}

// only is the one element of a list.
func only(n node, key string) string {
	values := n.texts(key)
	if len(values) != 1 {
		n.run.errs = append(n.run.errs, field.Invalid(n.at(key), values, "must have one element: there is one network of workers for all zones"))
		return ""
	}
	return values[0]
}
