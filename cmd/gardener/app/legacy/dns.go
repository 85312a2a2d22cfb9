package legacy

// dns had one provider at first.
func dns(n node) document {
	out := document{}
	n.move("domain", out, "domain")
	n.move("providers", out, "providers")
	provider := document{}
	n.move("provider", provider, "type")
	n.move("secretName", provider, "secretName")
	if zone := n.text("hostedZoneID"); zone != "" {
		provider["zones"] = document{"include": []any{zone}}
	}
	if len(provider) > 0 {
		if provider["type"] != "unmanaged" {
			provider["primary"] = true
		}
		all, _ := out["providers"].([]any)
		out["providers"] = append([]any{provider}, all...)
	}
	return out
}
