package app

import (
	"bytes"
	"strings"
	"time"
	"unicode"

	"github.com/tidwall/gjson"
)

// logTime is how the loggers of the landscape write times. Libraries may write more digits, which readLogTime accepts.
const logTime, readLogTime = "2006-01-02T15:04:05.000Z0700", "2006-01-02T15:04:05Z0700"

// logEntry is what is known of a line.
type logEntry struct {
	time                   time.Time
	level, logger, message string
	fields                 []logField // of the line's object, in the order in which they were written
}

// logField is a key of a line and its value, as it is stored.
type logField struct {
	name  string
	value gjson.Result
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
	line = bytes.ToValidUTF8(line, []byte(string(unicode.ReplacementChar)))
	if bytes.HasPrefix(line, []byte("{")) {
		if !gjson.ValidBytes(line) {
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
	if object := []byte(columns[last]); bytes.HasPrefix(object, []byte("{")) && gjson.ValidBytes(object) {
		entry.fields = members(object)
		last--
	}
	entry.message = columns[last]
	return entry, true
}

// members are the keys and values of an object of valid JSON.
func members(object []byte) []logField {
	fields := make([]logField, 0, 8)
	gjson.ParseBytes(object).ForEach(func(name, value gjson.Result) bool {
		fields = append(fields, logField{name.Str, value})
		return true
	})
	return fields
}

// text is the value if it is a text.
func (f logField) text() (string, bool) { return f.value.Str, f.value.Type == gjson.String }
