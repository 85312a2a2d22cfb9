// Package guards runs the guards that look at all packages of this module. It loads the module once for all of them, which takes most of the
// time. A guard is a package beside this one, with its rules and the tests that it finds what is wrong.
package guards

import (
	"testing"

	"github.com/gardener-up/gardener-up/hack/circles"
	"github.com/gardener-up/gardener-up/hack/fields"
	"github.com/gardener-up/gardener-up/hack/imports"
	"github.com/gardener-up/gardener-up/hack/methods"
	"github.com/gardener-up/gardener-up/hack/typecheck"
)

// guards return a complaint for each violation.
var guards = map[string]func(*typecheck.Module) ([]string, error){
	"files refer to each other downwards": circles.Check,
	"fields without effect are listed":    fields.Check,
	"every import is allowed":             imports.Check,
	"no type has too many methods":        methods.Check,
}

func TestGuards(t *testing.T) {
	module, err := typecheck.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, check := range guards {
		t.Run(name, func(t *testing.T) {
			complaints, err := check(module)
			if err != nil {
				t.Fatal(err)
			}
			for _, complaint := range complaints {
				t.Error(complaint)
			}
		})
	}
}
