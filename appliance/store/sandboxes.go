package store

// Sandboxes keeps whether containers of shoots on embedded nodes have run in sandboxes.
type Sandboxes struct{ store *Store }

// Sandboxes returns what is kept about sandboxes.
func (s *Store) Sandboxes() Sandboxes { return Sandboxes{s} }

// Ran reports whether containers have run in sandboxes, and nobody has decided since then to simulate them.
func (x Sandboxes) Ran() (bool, error) {
	ran, _, err := get[bool](x.store, "sandboxes")
	return ran, err
}

// SetRan writes it. Call it before a container runs.
func (x Sandboxes) SetRan(ran bool) error { return put(x.store, "sandboxes", ran) }
