// Package features reads the table of docs/features.md. Its test checks the format of the table, and that rows with
// working features name tests that mention them. No other package uses it.
package features

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Row is a line of the table.
type Row struct {
	ID, Behaviour, State string
	// Tests are paths of files or directories from the root of the repository; empty for "–".
	Tests []string
}

var (
	id    = regexp.MustCompile(`^[A-Z]+-[0-9]+$`)
	state = regexp.MustCompile(`^(works|not yet|partial: \S.*)$`)
)

// Parse reads all rows and refuses malformed ones.
func Parse(r io.Reader) ([]Row, error) {
	var rows []Row
	seen := map[string]bool{}
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "| ID ") || strings.HasPrefix(line, "| --- ") {
			continue
		}
		row, err := parseRow(line)
		if err == nil && seen[row.ID] {
			err = fmt.Errorf("ID %s is there twice", row.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		seen[row.ID] = true
		rows = append(rows, row)
	}
	return rows, lines.Err()
}

func parseRow(line string) (Row, error) {
	cells := strings.Split(strings.Trim(line, "|"), "|")
	if len(cells) != 4 {
		return Row{}, fmt.Errorf("%d columns instead of 4", len(cells))
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	row := Row{ID: cells[0], Behaviour: cells[1], State: cells[2]}
	switch {
	case !id.MatchString(row.ID):
		return Row{}, fmt.Errorf("%q is not an ID", row.ID)
	case row.Behaviour == "":
		return Row{}, fmt.Errorf("%s has no behaviour", row.ID)
	case !state.MatchString(row.State):
		return Row{}, fmt.Errorf("%s has the state %q", row.ID, row.State)
	}
	if cells[3] != "–" {
		for _, test := range strings.Split(cells[3], ",") {
			row.Tests = append(row.Tests, strings.Trim(test, " `"))
		}
	}
	return row, nil
}
