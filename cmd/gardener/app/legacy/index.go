package legacy

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// converter knows what objects say about each other.
type converter struct {
	options  Options
	profiles map[string]string   // types of providers by the names of profiles
	bindings map[string]string   // likewise by namespace and name of SecretBindings, as Shoots use them
	seeds    map[string]document // copies of legacy Seeds by name
	made     map[string]bool     // seeds whose buckets are among the results
}

// providers are the sections of legacy profiles and shoots that can be converted.
var providers = []string{"alicloud", "aws", "azure", "gcp", "openstack"}

// index notes what is needed of one object to convert others.
func (c *converter) index(object document) {
	if object["apiVersion"] != legacyGroup {
		return
	}
	meta, _ := object["metadata"].(document)
	spec, _ := object["spec"].(document)
	name, _ := meta["name"].(string)
	switch object["kind"] {
	case "CloudProfile":
		c.profiles[name] = section(spec)
	case "Seed":
		c.seeds[name] = runtime.DeepCopyJSON(object)
	case "Shoot":
		cloud, _ := spec["cloud"].(document)
		ref, _ := cloud["secretBindingRef"].(document)
		binding, _ := ref["name"].(string)
		c.bindings[keyOf(document{"namespace": meta["namespace"], "name": binding})] = section(cloud)
	}
}

// section is the provider that a specification has a section about.
func section(spec document) string {
	for _, one := range providers {
		if spec[one] != nil {
			return one
		}
	}
	return ""
}

// typeOf is the provider of a profile: its own word, what the user says, or its name if that is a provider's.
func (c *converter) typeOf(profile string) string {
	switch {
	case c.profiles[profile] != "":
		return c.profiles[profile]
	case c.options.ProviderType != "":
		return c.options.ProviderType
	case slices.Contains(providers, profile):
		return profile
	default:
		return ""
	}
}

func keyOf(meta document) string {
	namespace, _ := meta["namespace"].(string)
	name, _ := meta["name"].(string)
	return namespace + "/" + name
}
