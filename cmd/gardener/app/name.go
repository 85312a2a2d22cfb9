package app

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"
)

// nameRule is the rule for names of landscapes, namespaces, seeds and shoots.
const nameRule = "a name has lower-case letters, digits and -, begins and ends with a letter or a digit, and has at most 63 characters"

// checkName is the error of a name on the command line that nothing can have. what is like "seed".
func checkName(what, name string) error {
	if len(validation.IsDNS1123Label(name)) == 0 {
		return nil
	}
	return usageError(fmt.Errorf("%q cannot be the name of a %s", name, what), nameRule)
}
