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

// Users names the users that may have files in volumes, as the machine knows them; empty if no others than that of the landscape have had any.
func (x Sandboxes) Users() (string, error) {
	users, _, err := get[string](x.store, "sandbox-users")
	return users, err
}

// SetUsers writes it. Call it before a container runs.
func (x Sandboxes) SetUsers(users string) error { return put(x.store, "sandbox-users", users) }
