// Package translations loads the translations of kubectl's help only for languages that need them. It has to be initialized before kubectl,
// which translates a text when the process starts: packing and reading the English catalog takes a quarter of the processor time that every
// process of this binary needs before its main function. Packages that are ready are initialized in the order of their paths.
package translations

import (
	"os"
	"strings"

	"k8s.io/kubectl/pkg/util/i18n"
)

func init() {
	if !needed(os.Getenv) {
		_ = i18n.SetLoadTranslationsFunc(func() error { return nil }) // texts stay as they are, in English; fails only if it is too late
	}
}

// needed reports whether the user's language is not English. The first variable that is set decides, as in gettext.
func needed(getenv func(string) string) bool {
	for _, variable := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if language := getenv(variable); language != "" {
			return language != "C" && language != "POSIX" && !strings.HasPrefix(language, "C.") && !strings.HasPrefix(language, "en")
		}
	}
	return false
}
