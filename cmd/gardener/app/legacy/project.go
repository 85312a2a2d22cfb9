package legacy

// projectFields joins the lists of members and viewers: who was in the first is an admin.
func projectFields(n node, out document) []document {
	spec, to := n.part("spec"), document{}
	for _, key := range []string{"createdBy", "description", "owner", "purpose", "namespace", "tolerations"} {
		spec.move(key, to, key)
	}
	members(spec, to)
	set(out, "spec", to)
	return nil
}

func members(spec node, to document) {
	known := map[string]document{}
	var all []any
	for _, list := range []struct{ key, role string }{{"members", "admin"}, {"viewers", "viewer"}} {
		for _, one := range spec.parts(list.key) {
			member := document{}
			for key := range one.fields {
				member[key] = one.fields[key]
			}
			clear(one.fields)
			if member["role"] == nil && member["roles"] == nil {
				member["role"] = list.role
			}
			id := identity(member)
			if before := known[id]; before != nil { // both lists have it: it has both roles
				roles, _ := before["roles"].([]any)
				before["roles"] = append(roles, member["role"])
				continue
			}
			known[id] = member
			all = append(all, member)
		}
	}
	set(to, "members", all)
}

func identity(member document) string {
	text := func(key string) string { s, _ := member[key].(string); return s }
	return text("kind") + "/" + text("namespace") + "/" + text("name")
}
