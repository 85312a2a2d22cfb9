package config

// WithoutEffect lists the keys that the decoded file sets although this gardenlet does not act on them. Keys are in the order in
// which the type declares them.
func (c *GardenletConfiguration) WithoutEffect() []string { return c.withoutEffect }

// OfProcess lists the keys that the decoded file sets and that only act when the gardenlet is a process of its own.
func (c *GardenletConfiguration) OfProcess() []string { return c.ofProcess }

// sniWithoutEffect lists the keys of the usual ingress that are set and have no effect. Only its labels have one. The
// ingresses of handlers have the same type, and there all keys have an effect.
func (c *GardenletConfiguration) sniWithoutEffect() []string {
	if c.SNI == nil || c.SNI.Ingress == nil {
		return nil
	}
	set, usual := c.SNI.Ingress, defaults().SNI.Ingress
	var keys []string
	for _, key := range []struct {
		name       string
		set, usual *string
	}{
		{"serviceName", set.ServiceName, usual.ServiceName}, {"serviceExternalIP", set.ServiceExternalIP, usual.ServiceExternalIP},
		{"namespace", set.Namespace, usual.Namespace},
	} {
		if key.set != nil && (key.usual == nil || *key.set != *key.usual) {
			keys = append(keys, "sni.ingress."+key.name+" (use frontDoor of the landscape's configuration instead)")
		}
	}
	return keys
}
