package legacy

import "k8s.io/apimachinery/pkg/util/validation/field"

const noConstraint = "profiles do not restrict DNS providers any more"

// profileFields turns the one section of a legacy profile into fields that are the same for all providers and a document
// for the provider's own.
func (c *converter) profileFields(n node, out document) []document {
	spec, to := n.part("spec"), document{}
	out["spec"] = to
	spec.move("caBundle", to, "caBundle")
	provider := section(spec.fields)
	if provider == "" {
		spec.run.errs = append(spec.run.errs, field.Required(field.NewPath("spec"), "has no section of a provider that can be converted"))
		return nil
	}
	to["type"] = provider
	own := document{}
	of := spec.part(provider)
	constraints := of.part("constraints")
	constraints.leaveOut("dnsProviders", noConstraint)
	to["kubernetes"] = document{"versions": versions(constraints.part("kubernetes"))}
	constraints.images(to, own)
	to["machineTypes"] = machineTypes(constraints)
	constraints.move("volumeTypes", to, "volumeTypes")
	if all := regions(of, constraints, own); len(all) > 0 {
		to["regions"] = all
	}
	for _, key := range []string{"keystoneURL", "keystoneURLs", "dnsServers", "dhcpDomain", "requestTimeout"} {
		of.move(key, own, openstackName(key))
	}
	set(own, "constraints", poolsAndBalancers(constraints))
	if len(own) > 0 {
		own["apiVersion"], own["kind"] = provider+".provider.extensions.gardener.cloud/v1alpha1", "CloudProfileConfig"
		to["providerConfig"] = own
	}
	return nil
}

func openstackName(key string) string {
	switch key {
	case "keystoneURL":
		return "keyStoneURL"
	case "keystoneURLs":
		return "keyStoneURLs"
	default:
		return key
	}
}

// versions are texts in old profiles and have ends in later ones.
func versions(kubernetes node) []any {
	var all []any
	for _, one := range kubernetes.texts("versions") {
		all = append(all, document{"version": one})
	}
	for _, one := range kubernetes.parts("offeredVersions") {
		version := document{}
		for _, key := range []string{"version", "expirationDate"} {
			one.move(key, version, key)
		}
		all = append(all, version)
	}
	return all
}

// machineTypes of OpenStack tell their volumes.
func machineTypes(constraints node) []any {
	var all []any
	for _, one := range constraints.parts("machineTypes") {
		to, storage := document{}, document{}
		for _, key := range []string{"name", "cpu", "gpu", "memory", "usable", "storage"} {
			one.move(key, to, key)
		}
		one.move("volumeType", storage, "type")
		one.move("volumeSize", storage, "size")
		if len(storage) > 0 {
			storage["class"] = "standard"
			to["storage"] = storage
		}
		all = append(all, to)
	}
	return all
}

// regions are lists of zones, or, for Azure, all regions that something is counted for.
func regions(of, constraints node, own document) []any {
	var all []any
	known := map[string]bool{}
	add := func(name string, zones []string) {
		if known[name] {
			return
		}
		known[name] = true
		region := document{"name": name}
		var list []any
		for _, zone := range zones {
			list = append(list, document{"name": zone})
		}
		set(region, "zones", list)
		all = append(all, region)
	}
	for _, one := range constraints.parts("zones") {
		add(one.text("region"), one.texts("names"))
	}
	for _, key := range []string{"countUpdateDomains", "countFaultDomains"} {
		var counts []any
		for _, one := range of.parts(key) {
			count := document{"region": one.text("region"), "count": one.take("count")}
			add(count["region"].(string), nil)
			counts = append(counts, count)
		}
		set(own, key, counts)
	}
	return all
}

// poolsAndBalancers are constraints of OpenStack alone.
func poolsAndBalancers(constraints node) document {
	out := document{}
	constraints.move("floatingPools", out, "floatingPools")
	constraints.move("loadBalancerProviders", out, "loadBalancerProviders")
	return out
}
