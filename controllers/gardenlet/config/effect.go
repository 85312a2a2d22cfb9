package config

// WithoutEffect lists the keys that the decoded file sets although this gardenlet does not act on them, in the order of
// the kind.
func (c *GardenletConfiguration) WithoutEffect() []string { return c.withoutEffect }
