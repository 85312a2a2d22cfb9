package app

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// gap lies between the columns of a table.
const gap = "   "

// codes are what tinted adds to a text.
var codes = regexp.MustCompile("\x1b\\[[0-9]*m")

// tinted is a cell of a table in a colour. Tables without colours print the text alone.
func tinted(color int, text string) string {
	if text == "" || color == 0 {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", color, text)
}

// printTable prints rows. An empty row ends a block, and each block has columns of its own. The last cell of a row widens no column.
func printTable(w io.Writer, shown *display, output string, rows [][]string) error {
	for len(rows) > 0 {
		end := slices.IndexFunc(rows, func(row []string) bool { return len(row) == 0 })
		if end < 0 {
			end = len(rows) - 1
		}
		if err := newColumns(w, shown, output).print(rows[:end+1]...); err != nil {
			return err
		}
		rows = rows[end+1:]
	}
	return nil
}

// columns prints lines one after the other, and keeps their columns below each other as far as that is known.
type columns struct {
	w        io.Writer
	shown    *display // nil: without colours, and with commands as they are
	colorful bool
	room     int   // columns of the terminal; 0: lines are not cut
	widths   []int // of the columns printed so far
}

// newColumns prints to a file or to a terminal. Lines are only cut on a terminal, and by verbs that know the output wide, which cuts none.
func newColumns(w io.Writer, shown *display, output string) *columns {
	c := &columns{w: w, shown: shown, colorful: shown.colorful(w)}
	if output == "table" && shown != nil {
		c.room = screenWidth(w)
	}
	return c
}

func (c *columns) print(rows ...[]string) error {
	lines := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			lines[i] = append(lines[i], oneLine(c.shown.named(cell)))
		}
	}
	for _, line := range lines {
		for i := 0; i < len(line)-1; i++ {
			if i == len(c.widths) {
				c.widths = append(c.widths, 0)
			}
			c.widths[i] = max(c.widths[i], width(line[i]))
		}
	}
	for _, line := range lines {
		text := c.padded(line)
		if !c.colorful {
			text = codes.ReplaceAllString(text, "")
		}
		if _, err := fmt.Fprintln(c.w, strings.TrimRight(text, " ")); err != nil {
			return err
		}
	}
	return nil
}

// uncut is the output of a table whose lines are never cut, since they say what to do.
func uncut(output string) string { return strings.Replace(output, "table", "wide", 1) }

// leastCell is how much of the last cell is shown at least.
const leastCell = 20

// padded joins the cells of a line. Its last cell is cut at the end of the terminal, unless the line has only a name and a fact, such as a path.
func (c *columns) padded(line []string) string {
	var text strings.Builder
	used := 0
	for i, cell := range line {
		if i < len(line)-1 {
			text.WriteString(cell + strings.Repeat(" ", c.widths[i]-width(cell)) + gap)
			used += c.widths[i] + len(gap)
			continue
		}
		if c.room > 0 && len(line) > 2 {
			cell = shortenCell(cell, max(c.room-used, leastCell))
		}
		text.WriteString(cell)
	}
	return text.String()
}

// shortenCell cuts a cell and keeps its colour.
func shortenCell(cell string, room int) string {
	if at := ours.FindStringIndex(cell); at != nil && at[0] == 0 && at[1] == len(cell) {
		head, tail := len("\x1b[31m"), len(cell)-len("\x1b[0m")
		return cell[:head] + shorten(cell[head:tail], room) + cell[tail:]
	}
	return shorten(codes.ReplaceAllString(cell, ""), room)
}
