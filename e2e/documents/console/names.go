package console

import (
	"regexp"
	"strings"
)

var (
	// program is what may be the name of one, with or without its directory.
	program = regexp.MustCompile(`^~?[\w./-]*\w$`)
	// setting is a variable for one command.
	setting = regexp.MustCompile(`^[A-Z_]+=\S*$`)
)

// Program returns the first word of a command that may be the name of a program. It is empty for what no shell would take as a command: flags, keys
// and values, and code of other languages.
func Program(command string) string {
	for _, word := range strings.Fields(command) {
		switch {
		case setting.MatchString(word):
		case strings.HasPrefix(word, "-") || !program.MatchString(word):
			return ""
		default:
			return word
		}
	}
	return ""
}
