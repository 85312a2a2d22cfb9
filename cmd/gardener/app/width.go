package app

import (
	"io"
	"os"
	"unicode"

	"golang.org/x/term"
	widths "golang.org/x/text/width"
)

// width is how many columns of a terminal a text takes, without codes of colours.
func width(text string) int {
	all := 0
	for _, r := range codes.ReplaceAllString(text, "") {
		all += widthOf(r)
	}
	return all
}

// widthOf is how many columns a character takes: none if it changes the one before it, two for characters such as those of Chinese.
func widthOf(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch widths.LookupRune(r).Kind() {
	case widths.EastAsianWide, widths.EastAsianFullwidth:
		return 2
	}
	return 1
}

// shorten cuts a text to so many columns.
func shorten(text string, room int) string {
	if width(text) <= room {
		return text
	}
	if room < 1 {
		return ""
	}
	used := 0
	for i, r := range text {
		if used += widthOf(r); used > room-1 { // one is for the sign that it goes on
			return text[:i] + "…"
		}
	}
	return text
}

// screenWidth is how many columns a terminal has; 0 if the writer is none, or does not tell.
func screenWidth(w io.Writer) int {
	file, is := w.(*os.File)
	if !is || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return max(columns, 0)
}
