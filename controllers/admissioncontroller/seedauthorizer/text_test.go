package seedauthorizer

import (
	"slices"
	"strings"
)

// of puts a seed into a name.
func of(text, seed string) string { return strings.ReplaceAll(text, "%", seed) }

func contains(list, word string) bool { return slices.Contains(strings.Fields(list), word) }
