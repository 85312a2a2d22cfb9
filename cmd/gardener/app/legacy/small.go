package legacy

import "k8s.io/apimachinery/pkg/util/validation/field"

func quotaFields(n node, out document) []document {
	spec, to := n.part("spec"), document{}
	spec.move("clusterLifetimeDays", to, "clusterLifetimeDays")
	spec.move("metrics", to, "metrics")
	switch scope := spec.text("scope"); scope {
	case "project":
		to["scope"] = document{"apiVersion": target, "kind": "Project"}
	case "secret":
		to["scope"] = document{"apiVersion": "v1", "kind": "Secret"}
	default:
		spec.run.errs = append(spec.run.errs, field.NotSupported(spec.at("scope"), scope, []string{"project", "secret"}))
	}
	out["spec"] = to
	return nil
}

// bindingFields adds the provider that the credentials are for.
func (c *converter) bindingFields(n node, out document) []document {
	meta, _ := out["metadata"].(document)
	labels, _ := meta["labels"].(document)
	profile, _ := labels["cloudprofile.garden.sapcloud.io/name"].(string)
	n.move("secretRef", out, "secretRef")
	n.move("quotas", out, "quotas")
	provider := c.bindings[keyOf(meta)]
	if provider == "" {
		provider = c.typeOf(profile)
	}
	if provider == "" {
		n.run.errs = append(n.run.errs, field.Required(field.NewPath("provider", "type"),
			"is told neither by a Shoot nor by a CloudProfile among the manifests; name it by an option"))
	}
	out["provider"] = document{"type": provider}
	return nil
}

// newFields are those of objects that were in the present group already; some were called otherwise at first.
func newFields(n node, out document) []document {
	if kind := out["kind"]; kind == "BackupBucket" || kind == "BackupEntry" {
		spec, to := n.part("spec"), document{}
		spec.move("seed", to, "seedName")
		rest(spec, to)
		out["spec"] = to
	} else if kind == "Project" {
		spec, to := n.part("spec"), document{}
		members(spec, to)
		rest(spec, to)
		set(out, "spec", to)
	}
	rest(n, out)
	return nil
}

// rest carries everything over that is left; whether it is known is checked in the end.
func rest(n node, to document) {
	for key, value := range n.fields {
		to[key] = value
	}
	clear(n.fields)
}
