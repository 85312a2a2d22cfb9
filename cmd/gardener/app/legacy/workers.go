package legacy

// workers are the pools, each in all zones of the cluster.
func workers(section node, image document, zones []string) []any {
	var all []any
	for _, one := range section.parts("workers") {
		to, machine, volume := document{}, document{}, document{}
		for _, key := range []string{"name", "maxSurge", "maxUnavailable", "annotations", "labels", "taints", "caBundle"} {
			one.move(key, to, key)
		}
		one.move("autoScalerMin", to, "minimum")
		one.move("autoScalerMax", to, "maximum")
		one.move("machineType", machine, "type")
		if own := machineImage(one); own != nil {
			machine["image"] = own
		} else if image != nil {
			machine["image"] = image
		}
		to["machine"] = machine
		one.move("volumeType", volume, "type")
		one.move("volumeSize", volume, "size")
		set(to, "volume", volume)
		if kubelet := one.take("kubelet"); kubelet != nil {
			to["kubernetes"] = document{"kubelet": kubelet}
		}
		set(to, "zones", anyTexts(zones))
		all = append(all, to)
	}
	return all
}

// machineImage is a name and a version; what a provider calls it is for the profile.
func machineImage(n node) document {
	if !n.has("machineImage") {
		return nil
	}
	out, image := document{}, n.part("machineImage")
	for _, key := range []string{"name", "version"} {
		image.move(key, out, key)
	}
	return out
}
