package machine

import (
	"fmt"
	"strings"

	"github.com/gardener-up/gardener-up/local/userdata"
)

// parseExecStart returns the arguments of the last ExecStart of a unit and its drop-ins, each flag in the form --name=value.
func parseExecStart(unit userdata.Unit) ([]string, error) {
	content := unit.Content
	for _, dropIn := range unit.DropIns {
		content += "\n" + dropIn.Content
	}
	var command []string
	for _, line := range strings.Split(strings.ReplaceAll(content, "\\\n", " "), "\n") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "ExecStart="); ok && strings.TrimSpace(value) != "" {
			command = words(value)
		}
	}
	if len(command) == 0 {
		return nil, fmt.Errorf("unit %s has no ExecStart", unit.Name)
	}
	return joinValues(command[1:]), nil
}

// words splits a command line at spaces outside of quotes, without the quotes.
func words(line string) []string {
	var (
		out    []string
		word   strings.Builder
		quote  rune
		inWord bool
	)
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '"' || c == '\'':
			quote, inWord = c, true
		case c == ' ' || c == '\t':
			if inWord {
				out = append(out, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if inWord {
		out = append(out, word.String())
	}
	return out
}

// joinValues turns "--name value" into "--name=value".
func joinValues(args []string) []string {
	var out []string
	for _, arg := range args {
		last := len(out) - 1
		if strings.HasPrefix(arg, "-") || last < 0 || strings.Contains(out[last], "=") {
			out = append(out, arg)
		} else {
			out[last] += "=" + arg
		}
	}
	return out
}
