// Package findings has a mistake of each kind that the linter must see, and code that only looks like one.
package findings

import (
	"log"

	"github.com/spf13/pflag"
)

func nobodyCallsIt() {}

// Allow uses what another module calls deprecated.
func Allow(flags *pflag.FlagSet) bool { return flags.ParseErrorsWhitelist.UnknownFlags }

// Sure compares with nil what has a type, by a fact about a function of this module.
func Sure() bool { return made() == nil }

// First never reads through nil, since log.Fatal does not return.
func First(numbers *[3]int) int {
	if numbers == nil {
		log.Fatal("no numbers")
	}
	return numbers[0]
}

func made() error {
	var m *problem
	return m
}

type problem struct{}

// Error is that of the interface.
func (*problem) Error() string { return "problem" }
