package app

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// logTime is how the loggers of the landscape write times. Libraries may write more digits, which readLogTime accepts.
const logTime, readLogTime = "2006-01-02T15:04:05.000Z0700", "2006-01-02T15:04:05Z0700"

// logEntry is what is known of a line.
type logEntry struct {
	time                   time.Time
	level, logger, message string
	fields                 []logField // of the line's object, in the order in which they were written
}

// logField is a key of a line and its value. A log has many more values than anyone reads, so values stay as they are stored.
type logField struct {
	name  string
	value json.RawMessage
}

// field is the value of a key if it is a text, else empty. The last one counts if there are several, as in JSON.
func (e logEntry) field(name string) string {
	for i := len(e.fields) - 1; i >= 0; i-- {
		if e.fields[i].name == name {
			text, _ := e.fields[i].text()
			return text
		}
	}
	return ""
}

// parseLog reads a line in one of the two formats of the landscape: an object, or columns of which the first is the time and the last
// may be an object.
func parseLog(line []byte) (logEntry, bool) {
	var entry logEntry
	if bytes.HasPrefix(line, []byte("{")) {
		if !json.Valid(line) {
			return entry, false
		}
		entry.fields = members(line)
		at, err := time.Parse(readLogTime, entry.field("ts"))
		entry.time, entry.level, entry.logger, entry.message = at, entry.field("level"), entry.field("logger"), entry.field("msg")
		return entry, err == nil
	}
	columns := strings.Split(string(bytes.TrimSpace(line)), "\t")
	at, err := time.Parse(readLogTime, columns[0])
	if err != nil || len(columns) < 3 {
		return entry, false
	}
	entry.time, entry.level = at, columns[1]
	if len(columns) > 3 {
		entry.logger = columns[2]
	}
	last := len(columns) - 1
	if object := []byte(columns[last]); bytes.HasPrefix(object, []byte("{")) && json.Valid(object) {
		entry.fields = members(object)
		last--
	}
	entry.message = columns[last]
	return entry, true
}

// members are the keys and values of an object of valid JSON. A json.Decoder takes ten times as long.
func members(object []byte) []logField {
	fields := make([]logField, 0, 8)
	var name []byte
	depth, begin := 0, 0
	for i := 0; i < len(object); i++ {
		switch c := object[i]; c {
		case '"':
			i += endOfString(object[i:])
		case '{', '[':
			if depth++; depth == 1 {
				begin = i + 1
			}
		case ':':
			if depth == 1 {
				name, begin = object[begin:i], i+1
			}
		case ',', '}', ']':
			if depth == 1 && name != nil {
				key, _ := logField{value: bytes.TrimSpace(name)}.text()
				fields = append(fields, logField{key, bytes.TrimSpace(object[begin:i])})
				name, begin = nil, i+1
			}
			if c != ',' {
				depth--
			}
		}
	}
	return fields
}

// endOfString is where the string ends with which a text begins.
func endOfString(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}

// text is the value if it is a text.
func (f logField) text() (string, bool) {
	raw := f.value
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), true
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}

// decoded is the value, with numbers as they were written.
func (f logField) decoded() any {
	decoder := json.NewDecoder(bytes.NewReader(f.value))
	decoder.UseNumber()
	var value any
	_ = decoder.Decode(&value) // it is valid
	return value
}
