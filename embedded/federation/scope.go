package federation

import (
	"regexp"
	"strings"
)

// Scope is a part of a landscape. The zero Scope is all of it.
type Scope struct {
	Kind            string // Garden, Seed or Shoot
	Namespace, Name string
}

// Kinds of scopes.
const (
	Garden = "garden"
	Seed   = "seed"
	Shoot  = "shoot"
)

var segment = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)

// ParseScope reads what String writes.
func ParseScope(text string) (Scope, error) {
	if text == "" {
		return Scope{}, nil
	}
	parts := strings.Split(text, "/")
	for _, part := range parts {
		if !segment.MatchString(part) {
			return Scope{}, ErrNoScope
		}
	}
	switch {
	case parts[0] == Garden && len(parts) == 1:
		return Scope{Kind: Garden}, nil
	case parts[0] == Seed && len(parts) == 2:
		return Scope{Kind: Seed, Name: parts[1]}, nil
	case parts[0] == Shoot && len(parts) == 3:
		return Scope{Kind: Shoot, Namespace: parts[1], Name: parts[2]}, nil
	}
	return Scope{}, ErrNoScope
}

// String is the value of the parameter scope, and that of the label cluster.
func (s Scope) String() string {
	switch s.Kind {
	case Seed:
		return Seed + "/" + s.Name
	case Shoot:
		return Shoot + "/" + s.Namespace + "/" + s.Name
	}
	return s.Kind
}

// Includes reports whether the scope contains another one.
func (s Scope) Includes(other Scope) bool { return s == Scope{} || s == other }
