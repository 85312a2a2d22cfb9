package legacy

import "k8s.io/apimachinery/pkg/util/validation/field"

// seedFields turns the two switches of a seed into a taint and a setting.
func (c *converter) seedFields(n node, out document) []document {
	spec, to := n.part("spec"), document{}
	cloud := spec.part("cloud")
	profile := cloud.text("profile")
	provider := c.typeOf(profile)
	if provider == "" {
		cloud.run.errs = append(cloud.run.errs, field.Invalid(cloud.at("profile"), profile,
			"no CloudProfile of this name among the manifests tells the type of the provider; name it by an option"))
	}
	to["provider"] = document{"type": provider, "region": cloud.text("region")}
	dns := document{}
	spec.move("ingressDomain", dns, "ingressDomain")
	to["dns"] = dns

	networks, nets := spec.part("networks"), document{}
	for _, key := range []string{"nodes", "pods", "services", "shootDefaults"} {
		networks.move(key, nets, key)
	}
	spec.move("blockCIDRs", nets, "blockCIDRs")
	to["networks"] = nets
	for _, key := range []string{"secretRef", "backup", "volume"} {
		spec.move(key, to, key)
	}
	if spec.flag("protected") {
		to["taints"] = []any{document{"key": "seed.gardener.cloud/protected"}}
	}
	if visible, given := spec.take("visible").(bool); given {
		to["settings"] = document{"scheduling": document{"visible": visible}}
	}
	out["spec"] = to
	return nil
}
