package app

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
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

// width is how many columns of a terminal a cell takes.
func width(cell string) int { return utf8.RuneCountInString(codes.ReplaceAllString(cell, "")) }

// printTable prints rows. An empty row ends a block, and each block has columns of its own. The last cell of a row widens no column.
func printTable(w io.Writer, colorful bool, rows [][]string) error {
	for len(rows) > 0 {
		end := slices.IndexFunc(rows, func(row []string) bool { return len(row) == 0 })
		if end < 0 {
			end = len(rows) - 1
		}
		block := &columns{w: w, colorful: colorful}
		if err := block.print(rows[:end+1]...); err != nil {
			return err
		}
		rows = rows[end+1:]
	}
	return nil
}

// columns prints lines one after the other, and keeps their columns below each other as far as that is known.
type columns struct {
	w        io.Writer
	colorful bool
	widths   []int // of the columns printed so far
}

func (c *columns) print(lines ...[]string) error {
	for _, line := range lines {
		for i := 0; i < len(line)-1; i++ {
			if i == len(c.widths) {
				c.widths = append(c.widths, 0)
			}
			c.widths[i] = max(c.widths[i], width(line[i]))
		}
	}
	for _, line := range lines {
		padded := slices.Clone(line)
		for i := 0; i < len(line)-1; i++ {
			padded[i] += strings.Repeat(" ", c.widths[i]-width(line[i]))
		}
		text := strings.Join(padded, gap)
		if !c.colorful {
			text = codes.ReplaceAllString(text, "")
		}
		if _, err := fmt.Fprintln(c.w, strings.TrimRight(text, " ")); err != nil {
			return err
		}
	}
	return nil
}
