package app

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
	"golang.org/x/term"
)

// Values of -o of "gardener logs". Without it a terminal gets text, and a file or another program gets JSON.
const logText, logJSON = "text", "json"

// shownTime is how times of a log are shown, in the time zone of the reader.
const shownTime = "2006-01-02 15:04:05.000"

// logPrinter prints each line of a log, which is one Write. Lines of text are never cut. Flush prints what it still holds.
type logPrinter struct {
	out      *bufio.Writer
	colorful bool
	output   string
}

func newLogPrinter(w io.Writer, shown *display, output string) *logPrinter {
	if output == "" {
		output = logJSON
		if file, is := w.(*os.File); is && term.IsTerminal(int(file.Fd())) {
			output = logText
		}
	}
	return &logPrinter{out: bufio.NewWriterSize(w, 1<<16), colorful: shown.colorful(w), output: output}
}

func (p *logPrinter) Write(line []byte) (int, error) {
	format := logObject
	if p.output == logText {
		format = p.text
	}
	if _, err := io.WriteString(p.out, format(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// Flush prints what was written.
func (p *logPrinter) Flush() error { return p.out.Flush() }

// text is a line for readers: when, how bad, who, what, and the rest as key=value.
func (p *logPrinter) text(line []byte) string {
	entry, ok := parseLog(line)
	if !ok { // it belongs to the line above it
		return "    " + escaped(strings.TrimRight(string(line), "\r\n")) + "\n"
	}
	who := oneLine(escaped(cmp.Or(entry.logger, entry.field("part"))))
	var text, below strings.Builder
	text.WriteString(entry.time.Local().Format(shownTime) + "  " + p.level(strings.ToUpper(entry.level)) + "  ")
	text.WriteString(who + strings.Repeat(" ", max(0, leastWho-utf8.RuneCountInString(who))) + "  " + oneLine(escaped(entry.message)))
	before := "  "
	for _, field := range entry.fields {
		lines, _ := field.text()
		if slices.Contains(shownKeys, field.name) || field.name == "part" && (entry.logger == "" || lines == entry.logger) {
			continue
		}
		if strings.Contains(lines, "\n") {
			below.WriteString("    " + word(field.name) + ":\n" + escapedLines(lines, "      "))
			continue
		}
		text.WriteString(before + word(field.name) + "=" + logValue(field))
		before = " "
	}
	return strings.TrimRight(text.String(), " ") + "\n" + below.String()
}

// leastWho is how wide the column of the loggers is at least. Most of them fit.
const leastWho = 20

// shownKeys are the keys of a line that have columns.
var shownKeys = []string{"ts", "level", "logger", "msg"}

// level is in a colour if somebody should look.
func (p *logPrinter) level(level string) string {
	padded := strings.Repeat(" ", max(0, len("ERROR")-width(level)))
	switch level {
	case "ERROR", "DPANIC", "PANIC", "FATAL":
		return p.paint(red, level) + padded
	case "WARN":
		return p.paint(yellow, level) + padded
	}
	return oneLine(escaped(level)) + padded
}

func (p *logPrinter) paint(color int, text string) string {
	if !p.colorful {
		return text
	}
	return tinted(color, text)
}

// logValue is a value in one word of a shell, so that it is known where it ends.
func logValue(field logField) string {
	if text, is := field.text(); is {
		return word(text)
	}
	if field.value.IsObject() { // loggers write the keys of objects like this
		of := field.value.Map()
		name, namespace := of["name"], of["namespace"]
		switch {
		case name.Type == gjson.String && namespace.Type == gjson.String && len(of) == 2:
			return word(strings.TrimPrefix(namespace.Str+"/"+name.Str, "/"))
		case name.Type == gjson.String && len(of) == 1:
			return word(name.Str)
		}
	}
	var text bytes.Buffer
	_ = json.Compact(&text, []byte(field.value.Raw)) // it is valid
	return escaped(text.String())
}

// word is a text as it is if it is one word, else in quotes.
func word(text string) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r == ' ' || r == '"' || r == '=' || !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// escapedLines is a text of several lines, each indented.
func escapedLines(text, indent string) string {
	var lines strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		lines.WriteString(indent + escaped(strings.TrimRight(line, "\r\n")) + "\n")
	}
	return lines.String()
}

// logObject is a line as JSON: as it is if it is an object already, else an object with the same keys. So programs can read each line.
func logObject(line []byte) string {
	if bytes.HasPrefix(line, []byte("{")) && gjson.ValidBytes(line) {
		return string(line)
	}
	object := json.RawMessage(`{`)
	add := func(name string, value any) {
		if len(object) > 1 {
			object = append(object, ',')
		}
		key, _ := json.Marshal(name)
		text, _ := json.Marshal(value) // a string, or read from JSON
		object = append(append(append(object, key...), ':'), text...)
	}
	entry, ok := parseLog(line)
	if !ok {
		add("msg", strings.TrimRight(string(line), "\r\n"))
		return string(object) + "}\n"
	}
	add("level", entry.level)
	add("ts", entry.time.Format(logTime))
	if entry.logger != "" {
		add("logger", entry.logger)
	}
	add("msg", entry.message)
	for _, field := range entry.fields {
		add(field.name, json.RawMessage(field.value.Raw))
	}
	return string(object) + "}\n"
}
