package results

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

//go:embed page.tmpl
var text string

//go:embed causes.yaml
var known []byte

// cause explains why tests fail. People add causes to causes.yaml after they have looked into a failure.
type cause struct {
	Tests string // a regular expression of names
	Cause string // a sentence for the page
}

// unknown is the cause of what nobody has looked into.
const unknown = "not looked into yet"

// Page is what the template shows.
type Page struct {
	Groups  []Row
	Total   Row
	Causes  []Explained
	Skipped []Result
	NotRun  []Row // groups of which something did not run
}

// Row counts the tests of a group.
type Row struct {
	Name                            string
	Tests                           int
	Passed, Failed, Skipped, NotRun int
}

// Explained is a cause with the tests that fail for it.
type Explained struct {
	Cause string
	Tests []Result
}

func (r *Row) count(state State) {
	r.Tests++
	switch state {
	case Passed:
		r.Passed++
	case Failed:
		r.Failed++
	case Skipped:
		r.Skipped++
	case NotRun:
		r.NotRun++
	}
}

// Percent is the part of the tests that passed, of those that passed or failed.
func (r Row) Percent() string {
	if r.Passed+r.Failed == 0 {
		return "–"
	}
	return fmt.Sprintf("%d %%", 100*r.Passed/(r.Passed+r.Failed))
}

// Write writes the page about the results.
func Write(file string, all []Result) error {
	page, err := pageOf(all)
	if err != nil {
		return err
	}
	content, err := page.render()
	if err != nil {
		return err
	}
	return atomicfile.Write(file, content, 0o644)
}

func pageOf(all []Result) (Page, error) {
	p := Page{Total: Row{Name: "all"}}
	var causes []cause
	if err := yaml.UnmarshalStrict(known, &causes); err != nil {
		return p, fmt.Errorf("read causes.yaml: %w", err)
	}
	explained := map[string][]Result{}
	for _, result := range all {
		p.Total.count(result.State)
		p.row(result.Group()).count(result.State)
		switch result.State {
		case Failed:
			why, err := explain(causes, result)
			if err != nil {
				return p, err
			}
			explained[why] = append(explained[why], result)
		case Skipped:
			p.Skipped = append(p.Skipped, result)
		}
	}
	for why, tests := range explained {
		p.Causes = append(p.Causes, Explained{why, tests})
	}
	slices.SortFunc(p.Causes, func(a, b Explained) int {
		if len(a.Tests) != len(b.Tests) {
			return len(b.Tests) - len(a.Tests)
		}
		return strings.Compare(a.Cause, b.Cause)
	})
	for _, row := range p.Groups {
		if row.NotRun > 0 {
			p.NotRun = append(p.NotRun, row)
		}
	}
	return p, nil
}

// row is that of the group, at the end of the table if it is new.
func (p *Page) row(group string) *Row {
	i := slices.IndexFunc(p.Groups, func(r Row) bool { return r.Name == group })
	if i < 0 {
		p.Groups, i = append(p.Groups, Row{Name: group}), len(p.Groups)
	}
	return &p.Groups[i]
}

func explain(causes []cause, result Result) (string, error) {
	for _, c := range causes {
		match, err := regexp.MatchString(c.Tests, result.Name)
		if err != nil {
			return "", fmt.Errorf("the cause %q: %w", c.Cause, err)
		}
		if match {
			return c.Cause, nil
		}
	}
	return unknown, nil
}

// Short is the beginning of what the test said, in one line of a table.
func (r Result) Short() string {
	line := strings.Join(strings.Fields(r.Message), " ")
	if runes := []rune(line); len(runes) > 160 {
		line = string(runes[:160]) + "…"
	}
	return strings.NewReplacer("|", `\|`, "`", "'").Replace(line)
}

// Title is the name without the mark that all these tests have.
func (r Result) Title() string {
	return strings.TrimSpace(strings.Replace(r.Name, "[Conformance]", "", 1))
}

func (p Page) render() ([]byte, error) {
	parsed, err := template.New("page").Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = parsed.Execute(&b, p)
	return b.Bytes(), err
}
