// Package seedidentity defines the user names of gardenlets in the garden. It imports no other package of this module.
package seedidentity

import (
	"slices"
	"strings"
)

const (
	// Group is the group of all gardenlets.
	Group = "gardener.cloud:system:seeds"
	// UserPrefix and the name of the seed are the user of its gardenlet.
	UserPrefix = "gardener.cloud:system:seed:"
)

// Seed returns the name of the seed whose gardenlet the user is; false if the user is no gardenlet.
func Seed(user string, groups []string) (string, bool) {
	seed, found := strings.CutPrefix(user, UserPrefix)
	return seed, found && seed != "" && slices.Contains(groups, Group)
}
