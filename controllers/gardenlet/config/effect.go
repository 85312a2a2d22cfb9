package config

// WithoutEffect names the keys of the decoded file that this gardenlet does not act upon, in the order of the kind.
func (c *GardenletConfiguration) WithoutEffect() []string { return c.withoutEffect }
