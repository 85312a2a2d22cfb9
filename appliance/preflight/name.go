package preflight

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/gardener-up/gardener-up/appliance/fault"
)

// nameable refuses paths that parts of the landscape could not pass on. Servers of Kubernetes take pairs of files as one setting, in which a
// comma or a colon ends the name of a file. Kubeconfigs and objects are text. Everything else may be in a path: letters of all languages,
// spaces, quotes and brackets.
func nameable(path string) error {
	if !utf8.ValidString(path) {
		return fault.New(fault.Path, errors.New("the path is no text in UTF-8"))
	}
	for _, r := range path {
		if r == ',' || r == ':' || unicode.IsControl(r) {
			return fault.New(fault.Path, fmt.Errorf("the path has the character %q, which settings of Kubernetes' servers cannot have in names of files", r))
		}
	}
	return nil
}
