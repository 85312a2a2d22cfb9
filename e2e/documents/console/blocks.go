// Package console reads the commands of Markdown documents and what the documents say that they print, runs them as a reader would, and
// compares. It knows nothing about tests.
//
//	blocks.go     finds commands and their output in documents
//	sentences.go  finds commands in sentences
//	names.go      tells whether a word may be the name of a program
//	recipes.go    finds jobs of CI systems in documents
//	compare.go    compares an output with the documented one
//	shell.go      runs commands one after the other in one shell
package console

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
)

const (
	fence  = "```"
	prompt = "$ "
	// Language is the info string of blocks with commands.
	Language = "console"
	// elsewhere precedes what runs a block, if that is not the test in e2e/documents: the directory of another test, or a script.
	elsewhere = "in "
)

// Step is one command of a document.
type Step struct {
	File    string
	Line    int
	Command string
	Output  []string // empty if the document does not show what the command prints
}

// Block is a fenced block with commands.
type Block struct {
	File    string
	Line    int
	Heading string // of the section that contains it
	In      string // directory of the test, or path of the script, that runs it; empty for the test of all documents
	Steps   []Step
}

// Unmarked is an error about commands in a block that does not say that it has any.
type Unmarked struct {
	File string
	Line int
	Text string
}

func (u *Unmarked) Error() string {
	return fmt.Sprintf("%s:%d: a command outside a block %q: %s", u.File, u.Line, fence+Language, u.Text)
}

// Read returns the blocks of a document. programs are names of commands that must not stand in a block without the prompt. The error is an
// Unmarked if one does.
func Read(file string, programs ...string) ([]Block, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := reader{file: file, programs: programs}
	lines := bufio.NewScanner(strings.NewReader(string(content)))
	for lines.Scan() {
		r.number++
		if err := r.line(lines.Text()); err != nil {
			return nil, err
		}
	}
	return r.blocks, lines.Err()
}

type reader struct {
	file, heading string
	programs      []string
	number        int
	inside        bool
	listing       bool   // of a file: its text is in no shell, whatever it contains
	block         *Block // nil outside a block with commands
	blocks        []Block
}

func (r *reader) line(text string) error {
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(trimmed, fence) && r.inside:
		if r.block != nil {
			r.blocks = append(r.blocks, *r.block)
		}
		r.inside, r.block = false, nil
	case strings.HasPrefix(trimmed, fence):
		if info := strings.TrimSpace(strings.TrimPrefix(trimmed, fence)); !r.open(info) {
			return &Unmarked{File: r.file, Line: r.number, Text: "a block of " + info}
		}
	case r.block != nil:
		r.add(text)
	case r.inside && !r.listing:
		if first, _, _ := strings.Cut(strings.TrimPrefix(trimmed, prompt), " "); strings.HasPrefix(trimmed, prompt) || slices.Contains(r.programs, first) {
			return &Unmarked{File: r.file, Line: r.number, Text: trimmed}
		}
	case strings.HasPrefix(text, "#"):
		r.heading = strings.TrimSpace(strings.TrimLeft(text, "#"))
	}
	return nil
}

// listings are the info strings of blocks that no shell is to run. Commands may be lines of the first two.
var listings = []string{"", "text", "go", "yaml", "json"}

// open begins a block. It reports whether the language is one of commands that are run, or of none.
func (r *reader) open(info string) bool {
	r.inside = true
	language, rest, _ := strings.Cut(info, " ")
	r.listing = language == "yaml" || language == "json"
	if language != Language {
		return slices.Contains(listings, language)
	}
	r.block = &Block{File: r.file, Line: r.number, Heading: r.heading, In: strings.TrimPrefix(rest, elsewhere)}
	return true
}

// add adds a line of the block: a command, the continuation of one, or its output.
func (r *reader) add(text string) {
	steps := r.block.Steps
	if command, ok := strings.CutPrefix(text, prompt); ok {
		r.block.Steps = append(steps, Step{File: r.file, Line: r.number, Command: command})
		return
	}
	if len(steps) == 0 {
		return
	}
	last := &steps[len(steps)-1]
	if strings.HasSuffix(last.Command, `\`) {
		last.Command += "\n" + text
		return
	}
	last.Output = append(last.Output, text)
}

// Examples returns the commands in the section Examples of a page of the generated reference, which shows no output.
func Examples(file string) ([]Step, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var steps []Step
	inside := false
	for n, text := range strings.Split(string(content), "\n") {
		command := strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "### "):
			inside = command == "### Examples"
		case !inside, command == "", strings.HasPrefix(command, fence), strings.HasPrefix(command, "#"):
		default:
			steps = append(steps, Step{File: file, Line: n + 1, Command: command})
		}
	}
	return steps, nil
}
