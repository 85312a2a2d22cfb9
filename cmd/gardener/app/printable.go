package app

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Texts of tenants reach the terminals of operators: messages of events and conditions, descriptions of errors, names. They could move the
// cursor, hide lines or answer for the operator. So all texts for readers pass printable or oneLine.

// ours are the codes with which tinted colours a text. A text of a tenant may pretend to be one; its colour ends with it.
var ours = regexp.MustCompile("\x1b\\[(?:31|32|33)m[^\x1b]*\x1b\\[0m")

// printable is a text whose control characters are visible. Ends of lines, tabs and our colours stay.
func printable(text string) string {
	if !strings.ContainsFunc(text, controls) {
		return strings.ToValidUTF8(text, string(unicode.ReplacementChar))
	}
	var safe strings.Builder
	for text != "" {
		at := ours.FindStringIndex(text)
		if at == nil {
			at = []int{len(text), len(text)}
		}
		safe.WriteString(escaped(text[:at[0]]))
		if tinted := text[at[0]:at[1]]; tinted != "" {
			safe.WriteString(tinted[:len("\x1b[31m")] + escaped(tinted[len("\x1b[31m"):len(tinted)-len("\x1b[0m")]) + "\x1b[0m")
		}
		text = text[at[1]:]
	}
	return safe.String()
}

func escaped(text string) string {
	if isPlain(text) {
		return text
	}
	var safe strings.Builder
	for _, r := range strings.ReplaceAll(strings.ToValidUTF8(text, string(unicode.ReplacementChar)), "\r\n", "\n") {
		switch {
		case !controls(r):
			safe.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&safe, `\x%02x`, r)
		default:
			fmt.Fprintf(&safe, `\u%04x`, r)
		}
	}
	return safe.String()
}

// isPlain reports whether a text has only printable characters of ASCII, as nearly all texts have. No such text has to change for a reader.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// controls reports whether a character controls a terminal, breaks a line without ending it, or turns the direction of what follows.
func controls(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == '\u061c', r == '\u200e', r == '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069': // directions
		return true
	case r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.IsControl(r)
}

// indented is a text whose further lines are below its first word: what a tenant writes cannot be taken for another line of ours.
func indented(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n       ")
}

// breaks are what would end a line or a column.
var breaks = regexp.MustCompile(`[ \t\n]*[\t\n][ \t\n]*`)

// oneLine is a text in one line, for a cell of a table.
func oneLine(text string) string {
	if isPlain(text) {
		return text
	}
	return breaks.ReplaceAllString(strings.Trim(printable(text), "\t\n"), " ")
}
