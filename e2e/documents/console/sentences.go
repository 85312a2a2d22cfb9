package console

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// span is code within a sentence. It may go on in the next line, but not in the next paragraph.
var span = regexp.MustCompile("`([^`]+)`")

// flags are those of the program before them, as in "`usermod` with `--home DIR`".
var flags = regexp.MustCompile("`([^`]+)`\\s+with\\s+`(-[^`]+)`")

// call is a word that a sentence tells to run.
var call = regexp.MustCompile("\\b(?i:run|call|calls|execute|executes|invoke)\\s+`([\\w./-]+)`")

// Sentences returns what may be commands in the sentences of a document: all code of several words. A word alone is a name, unless flags follow as code
// of their own, or the sentence says that somebody runs it.
func Sentences(file string) ([]Step, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var steps []Step
	for first, paragraph := range paragraphs(string(content)) {
		add := func(at int, code string) {
			command := strings.Join(strings.Fields(code), " ")
			steps = append(steps, Step{File: file, Line: first + strings.Count(paragraph[:at], "\n"), Command: command})
		}
		for _, at := range span.FindAllStringSubmatchIndex(paragraph, -1) {
			if code := paragraph[at[2]:at[3]]; len(strings.Fields(code)) > 1 {
				add(at[0], code)
			}
		}
		for _, at := range call.FindAllStringSubmatchIndex(paragraph, -1) {
			add(at[0], paragraph[at[2]:at[3]])
		}
		for _, at := range flags.FindAllStringSubmatchIndex(paragraph, -1) {
			add(at[0], paragraph[at[2]:at[3]]+" "+paragraph[at[4]:at[5]])
		}
	}
	slices.SortFunc(steps, func(a, b Step) int { return a.Line - b.Line })
	return steps, nil
}

// paragraphs are the parts of a document outside of its fenced blocks, by the number of their first lines. Each row of a table is one.
func paragraphs(content string) map[int]string {
	parts := map[int]string{}
	first, fenced := 0, false
	for n, line := range strings.Split(content, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, fence):
			fenced, first = !fenced, 0
		case fenced, trimmed == "":
			first = 0
		case strings.HasPrefix(trimmed, "|"):
			parts[n+1], first = line, 0
		case first == 0:
			first = n + 1
			parts[first] = line
		default:
			parts[first] += "\n" + line
		}
	}
	return parts
}
