package legacy

// configs are what sections become for the provider alone: the range of the nodes if it is not given, and documents for
// infrastructure and control plane.
var configs = map[string]func(section, networks node, zones []string) (nodes string, infrastructure, controlPlane document){
	"alicloud":  alicloud,
	"aws":       aws,
	"azure":     azure,
	"gcp":       gcp,
	"openstack": openstack,
}

func aws(_, networks node, zones []string) (string, document, document) {
	vpc := vpc(networks, "id", "cidr")
	nodes, _ := vpc["cidr"].(string)
	return nodes, document{"networks": document{
		"vpc": vpc, "zones": byZone(networks, zones, map[string]string{"internal": "internal", "public": "public", "workers": "workers"}),
	}}, nil
}

func alicloud(_, networks node, zones []string) (string, document, document) {
	vpc := vpc(networks, "id", "cidr")
	nodes, _ := vpc["cidr"].(string)
	return nodes, document{"networks": document{"vpc": vpc, "zones": byZone(networks, zones, map[string]string{"workers": "workers"})}}, nil
}

func azure(section, networks node, zones []string) (string, document, document) {
	vnet := document{}
	part := networks.part("vnet")
	for _, key := range []string{"name", "cidr", "resourceGroup"} {
		part.move(key, vnet, key)
	}
	workers := networks.text("workers")
	infrastructure := document{"networks": document{"vnet": vnet, "workers": workers}}
	if group := section.part("resourceGroup").text("name"); group != "" {
		infrastructure["resourceGroup"] = document{"name": group}
	}
	if len(zones) > 0 {
		infrastructure["zoned"] = true
	}
	return workers, infrastructure, nil
}

func gcp(_, networks node, zones []string) (string, document, document) {
	workers := only(networks, "workers")
	nets := document{"workers": workers}
	networks.move("internal", nets, "internal")
	set(nets, "vpc", vpc(networks, "name"))
	controlPlane := document{}
	if len(zones) > 0 {
		controlPlane["zone"] = zones[0]
	}
	return workers, document{"networks": nets}, controlPlane
}

func openstack(section, networks node, _ []string) (string, document, document) {
	workers := only(networks, "workers")
	nets := document{"workers": workers}
	if id := networks.part("router").text("id"); id != "" {
		nets["router"] = document{"id": id}
	}
	controlPlane := document{}
	section.move("loadBalancerProvider", controlPlane, "loadBalancerProvider")
	return workers, document{"floatingPoolName": section.text("floatingPoolName"), "networks": nets}, controlPlane
}

func vpc(networks node, keys ...string) document {
	out, part := document{}, networks.part("vpc")
	for _, key := range keys {
		part.move(key, out, key)
	}
	return out
}
