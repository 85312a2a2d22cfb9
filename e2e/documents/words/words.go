// Package words tells whether a command that somebody ran is the one that a sentence names.
//
//	words.go  compares commands
//	calls.go  finds the commands that tests run by calls in Go
package words

import (
	"regexp"
	"slices"
	"strings"
)

// unknown stands for an argument that is known only when the test runs.
const unknown = "\x00"

var (
	// ends are where a shell begins another command.
	ends = regexp.MustCompile(`\|\|?|&&|;|<\(|\$\(|\)`)
	// setting is a variable for one command.
	setting = regexp.MustCompile(`^[A-Z_]+=\S*$`)
	// placeholder is a word that stands for another one: NAME, NAMESPACE/NAME, <seed>, ….
	placeholder = regexp.MustCompile(`^([A-Z][A-Z/]*|<.+>|…|\.\.\.)$`)
	// shorthands are flags that have two names.
	shorthands = map[string]string{"-o": "--output", "-n": "--namespace", "-f": "--filename"}
)

// Split returns the words of each command in a line of a shell. A flag and its value are two words.
func Split(line string) [][]string {
	var commands [][]string
	for _, part := range ends.Split(line, -1) {
		words := strings.Fields(part)
		for len(words) > 0 && (words[0] == "nice" || setting.MatchString(words[0])) {
			words = words[1:]
		}
		if len(words) > 0 {
			commands = append(commands, normal(words))
		}
	}
	return commands
}

// normal gives a command the form in which it is compared.
func normal(words []string) []string {
	var all []string
	for _, word := range words {
		if flag, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "-") {
			all = append(all, flag, value)
		} else {
			all = append(all, word)
		}
	}
	for i, word := range all {
		all[i] = strings.Trim(word, `'"`)
		if long, ok := shorthands[word]; ok {
			all[i] = long
		}
	}
	all[0] = strings.TrimPrefix(all[0], "bin/")
	if all[0] == "make" { // whether it says what it runs
		all = slices.DeleteFunc(all, func(word string) bool { return word == "-s" })
	}
	if len(all) > 1 && all[0] == "gardener" && all[1] == "kubectl" {
		all = all[1:]
	}
	return all
}

// Names reports whether a sentence's command names one that was run: the program and its verbs are those at the beginning, and the run command has
// all other words, too. It may have more.
func Names(sentence, run []string) bool {
	program := sentence[0] // which may have a directory. What follows a subshell has none
	verbs := slices.IndexFunc(sentence, func(word string) bool {
		if word == program && !strings.HasPrefix(word, "-") {
			return false
		}
		return strings.HasPrefix(word, "-") || strings.ContainsAny(word, "/=") || placeholder.MatchString(word)
	})
	if verbs < 0 {
		verbs = len(sentence)
	}
	if len(run) < verbs || !slices.Equal(sentence[:verbs], run[:verbs]) {
		return false
	}
	rest := slices.Clone(run[verbs:])
	for _, word := range sentence[verbs:] {
		i := slices.IndexFunc(rest, func(other string) bool {
			return other == word || strings.Contains(other, unknown) && !strings.HasPrefix(word, "-") || placeholder.MatchString(word) && !strings.HasPrefix(other, "-")
		})
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}
