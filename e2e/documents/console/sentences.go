package console

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// span is code within a sentence. It may go on in the next line, but not in the next paragraph.
var span = regexp.MustCompile("`([^`]+)`")

// Sentences returns the commands that stand as code in the sentences of a document: a program and at least one word more. A program alone is
// a name. Without programs all code of several words counts.
func Sentences(file string, programs ...string) ([]Step, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var steps []Step
	for first, paragraph := range paragraphs(string(content)) {
		for _, at := range span.FindAllStringSubmatchIndex(paragraph, -1) {
			words := strings.Fields(paragraph[at[2]:at[3]])
			if len(words) > 1 && (len(programs) == 0 || slices.Contains(programs, words[0])) {
				line := first + strings.Count(paragraph[:at[0]], "\n")
				steps = append(steps, Step{File: file, Line: line, Command: strings.Join(words, " ")})
			}
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
