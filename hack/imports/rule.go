// Package imports holds the rules for imports between the packages of this project, and of other modules. The rules are
// data; the tests check all packages against them. docs/architecture.md shows the rooms.
package imports

import (
	"slices"
	"strings"
)

// Import says that the package From imports To. Packages of this module begin with "./", as on the command line of go.
type Import struct {
	From, To string
	Test     bool // in a test file
}

// Rule refuses some imports. Its lists hold patterns: a path, "path/..." for everything at or below it, "..." for
// every package and "std" for the standard library.
type Rule struct {
	Packages []string // the packages that the rule applies to
	Except   []string // packages that are exempt
	Imports  []string // the imports that it refuses
	Allowed  []string // imports that it allows nevertheless
	InTests  []string // further imports that it allows in test files
	Reason   string
	Refused  []Import // invented examples, for the test of the rule
}

// Refuses reports whether the rule forbids the import.
func (r Rule) Refuses(i Import) bool {
	return matches(r.Packages, i.From) && !matches(r.Except, i.From) &&
		matches(r.Imports, i.To) && !matches(r.Allowed, i.To) && !(i.Test && matches(r.InTests, i.To))
}

func matches(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return match(pattern, path) })
}

func match(pattern, path string) bool {
	switch {
	case pattern == "...":
		return true
	case pattern == "std":
		first, _, _ := strings.Cut(path, "/")
		return !strings.Contains(first, ".") // other modules begin with a domain, ours with "./"
	}
	if root, below := strings.CutSuffix(pattern, "/..."); below {
		return path == root || strings.HasPrefix(path, root+"/")
	}
	return path == pattern
}
