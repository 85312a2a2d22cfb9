package legacy

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// asTheyWere are fields of a shoot that have the same form now.
var asTheyWere = []string{"extensions", "hibernation", "kubernetes", "maintenance", "monitoring"}

// purposes are what the annotation could say and the field can.
var purposes = []string{"evaluation", "testing", "development", "production", "infrastructure"}

func (c *converter) shootFields(n node, out document) []document {
	spec, to := n.part("spec"), document{}
	out["spec"] = to
	purpose(n, out, to)
	spec.leaveOut("backup", "how often backups are made and how many are kept is the landscape's")
	for _, key := range asTheyWere {
		spec.move(key, to, key)
	}
	set(to, "addons", addons(spec.part("addons")))
	set(to, "dns", dns(spec.part("dns")))
	networking := document{"type": "calico"}
	rest(spec.part("networking"), networking)
	to["networking"] = networking

	cloud := spec.part("cloud")
	cloud.move("profile", to, "cloudProfileName")
	cloud.move("region", to, "region")
	cloud.move("seed", to, "seedName")
	cloud.part("secretBindingRef").move("name", to, "secretBindingName")
	provider := section(cloud.fields)
	if provider == "" {
		cloud.run.errs = append(cloud.run.errs, field.Required(cloud.path, "has no section of a provider that can be converted"))
		return nil
	}
	to["provider"] = cloudSection(cloud.part(provider), provider, networking)
	return nil
}

// purpose was an annotation.
func purpose(n node, out, to document) {
	meta := out["metadata"].(document)
	all, _ := meta["annotations"].(document)
	const key = "shoot.gardener.cloud/purpose"
	value, given := all[key].(string)
	if !given {
		return
	}
	delete(all, key)
	if len(all) == 0 {
		delete(meta, "annotations")
	}
	if !slices.Contains(purposes, value) {
		n.run.errs = append(n.run.errs, field.NotSupported(field.NewPath("metadata", "annotations").Key("garden.sapcloud.io/purpose"), value, purposes))
	}
	to["purpose"] = value
}
