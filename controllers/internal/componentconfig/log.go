package componentconfig

import (
	"cmp"
	"slices"
)

// Log says what a component logs.
type Log struct {
	LogLevel string `json:"logLevel,omitempty"` // debug, info or error; default info
	// LogFormat is json or text; default json. A component in a process with others logs as that process.
	LogFormat string `json:"logFormat,omitempty" effect:"process" instead:"log.format of the landscape's configuration"`
}

// SetDefaults sets the fields that are empty.
func (l *Log) SetDefaults() {
	l.LogLevel = cmp.Or(l.LogLevel, "info")
	l.LogFormat = cmp.Or(l.LogFormat, "json")
}

// Validate adds the mistakes of a defaulted Log.
func (l Log) Validate(m *Mistakes) {
	m.Add(!slices.Contains([]string{"debug", "info", "error"}, l.LogLevel), "logLevel %q is not one of debug, info, error", l.LogLevel)
	m.Add(!slices.Contains([]string{"json", "text"}, l.LogFormat), "logFormat %q is not one of json, text", l.LogFormat)
}
