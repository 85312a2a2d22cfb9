// Package table prints the figures of the benchmark: aligned text for people, Markdown for documents.
package table

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// Row is one figure. Values and Peer have the unit Unit. An empty sample was not measured. A row without Comparable has
// no peer.
type Row struct {
	What, Target string
	Unit         Unit
	Values, Peer stats.Sample
	Comparable   bool
}

// Missing reports whether a value of the row was not measured.
func (r Row) Missing() bool { return len(r.Values) == 0 || r.Comparable && len(r.Peer) == 0 }

// Unit of a value.
type Unit struct {
	Name   string
	Digits int // digits after the decimal point
}

// The units in use. A megabyte is a million bytes.
var (
	Seconds      = Unit{"s", 2}
	Milliseconds = Unit{"ms", 3}
	Megabytes    = Unit{"MB", 0}
	Percent      = Unit{"%", 1}
	Bytes        = Unit{"bytes", 0}
)

func (u Unit) format(value float64) string { return fmt.Sprintf("%.*f %s", u.Digits, value, u.Name) }

const (
	nothing    = "-"
	unmeasured = "not measured"
)

func cells(rows []Row, peer string) [][]string {
	all := [][]string{{"what", "target", "median", "p95", "min", "max", "runs", peer + ": median", "min", "max"}}
	for _, r := range rows {
		line := []string{r.What, orNothing(r.Target)}
		line = append(line, describe(r.Unit, r.Values, r.Values.Median(), r.Values.Percentile(95), r.Values.Min(), r.Values.Max())...)
		line = append(line, fmt.Sprint(len(r.Values)))
		if r.Comparable {
			line = append(line, describe(r.Unit, r.Peer, r.Peer.Median(), r.Peer.Min(), r.Peer.Max())...)
		} else {
			line = append(line, nothing, nothing, nothing)
		}
		all = append(all, line)
	}
	return all
}

// describe formats values that summarise a sample. If there is nothing to summarise, it returns only the first value.
func describe(unit Unit, sample stats.Sample, values ...float64) []string {
	var texts []string
	for i, value := range values {
		switch {
		case len(sample) == 0 && i == 0:
			texts = append(texts, unmeasured)
		case len(sample) < 2 && i > 0:
			texts = append(texts, nothing)
		default:
			texts = append(texts, unit.format(value))
		}
	}
	return texts
}

func orNothing(text string) string {
	if text == "" {
		return nothing
	}
	return text
}

// Text writes the table with columns aligned, numbers to the right.
func Text(w io.Writer, rows []Row, peer string) error {
	all := cells(rows, peer)
	widths := make([]int, len(all[0]))
	for _, line := range all {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for _, line := range all {
		var text strings.Builder
		for i, cell := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if isText(i) {
				text.WriteString(cell + pad + "  ")
			} else {
				text.WriteString(pad + cell + "  ")
			}
		}
		out.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// Markdown writes the table for a document.
func Markdown(w io.Writer, rows []Row, peer string) error {
	var out strings.Builder
	for n, line := range cells(rows, peer) {
		out.WriteString("| " + strings.Join(line, " | ") + " |\n")
		if n > 0 {
			continue
		}
		for i := range line {
			if isText(i) {
				out.WriteString("| --- ")
			} else {
				out.WriteString("| ---: ")
			}
		}
		out.WriteString("|\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// isText reports whether a column contains words rather than numbers.
func isText(column int) bool { return column < 2 }
