package app

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/appliance/component"
)

// logFilter chooses lines of a log. Its zero value chooses all.
type logFilter struct {
	since time.Time
	part  string
	shoot *types.NamespacedName
	level string // the least one; empty: all

	kept  bool            // the last line with a time
	found bool            // a line of the part, whether it was kept or not
	parts map[string]bool // that have lines
}

// keep decides about a line. A line without a time belongs to the line above it: it is part of a stack or of a text of a library.
func (f *logFilter) keep(line []byte) bool {
	if f.since.IsZero() && f.part == "" && f.shoot == nil && f.level == "" {
		return true
	}
	entry, ok := parseLog(line)
	if !ok {
		return f.kept
	}
	f.note(entry)
	f.kept = !entry.time.Before(f.since) && f.ofPart(entry) && f.ofLevel(entry) && f.ofShoot(line, entry)
	return f.kept
}

// note remembers which parts a log is of.
func (f *logFilter) note(entry logEntry) {
	if f.part == "" {
		return
	}
	f.found = f.found || f.ofPart(entry)
	logger, _, _ := strings.Cut(entry.logger, ".")
	if name := cmp.Or(entry.field("part"), logger); name != "" {
		if f.parts == nil {
			f.parts = map[string]bool{}
		}
		f.parts[name] = true
	}
}

// unknownPart is the error of a part that neither the log nor the landscape has; nil if there is one. running are the parts of the landscape.
func (f *logFilter) unknownPart(running []component.Status) error {
	if f.part == "" || f.found {
		return nil
	}
	for _, part := range running {
		if part.Name == f.part {
			return nil
		}
		if f.parts == nil {
			f.parts = map[string]bool{}
		}
		f.parts[part.Name] = true
	}
	hint := "the log has no lines of any part"
	if len(f.parts) > 0 {
		hint = "there are " + strings.Join(slices.Sorted(maps.Keys(f.parts)), ", ")
	}
	return &exitError{code: codeNotFound, err: fmt.Errorf("there is no part %q, and the log has no lines of it", f.part), hint: hint}
}

func (f *logFilter) ofPart(entry logEntry) bool {
	return f.part == "" || entry.field("part") == f.part || entry.logger == f.part || strings.HasPrefix(entry.logger, f.part+".")
}

// logLevels are the levels that a filter knows, the least first. Loggers have worse ones, which end the process.
var logLevels = []string{"debug", "info", "warn", "error"}

func (f *logFilter) ofLevel(entry logEntry) bool {
	at := slices.Index(logLevels, entry.level)
	return at < 0 || at >= slices.Index(logLevels, f.level)
}

// ofShoot finds the shoot by its name in the garden, and by that of its namespace in the seed. The namespace of a project has a name
// of its own, which by default follows garden-.
func (f *logFilter) ofShoot(line []byte, entry logEntry) bool {
	if f.shoot == nil {
		return true
	}
	if entry.field("namespace") == f.shoot.Namespace && entry.field("name") == f.shoot.Name || bytes.Contains(line, []byte(`"`+f.shoot.String()+`"`)) {
		return true
	}
	_, after, found := strings.Cut(string(line), "shoot--"+strings.TrimPrefix(f.shoot.Namespace, "garden-")+"--"+f.shoot.Name)
	return found && (after == "" || !strings.ContainsAny(after[:1], "abcdefghijklmnopqrstuvwxyz0123456789-"))
}

// filteredWriter writes each line that passes the filter by one Write.
type filteredWriter struct {
	w      io.Writer
	filter *logFilter
	rest   []byte // of a line whose end has not come yet
}

func (f *filteredWriter) Write(data []byte) (int, error) {
	f.rest = append(f.rest, data...)
	for {
		end := bytes.IndexByte(f.rest, '\n')
		if end < 0 {
			return len(data), nil
		}
		line := f.rest[:end+1]
		if f.filter.keep(line) {
			if _, err := f.w.Write(line); err != nil {
				return 0, err
			}
		}
		f.rest = f.rest[end+1:]
	}
}

// lastError is the last error in a log as the end of a sentence. Some libraries end the process after they have logged the reason, and
// tell it to nobody else. It is empty if there is none.
func lastError(file string) string {
	log, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer log.Close()
	last := ""
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		entry, ok := parseLog(lines.Bytes())
		if !ok || entry.level != "error" {
			continue
		}
		last = fmt.Sprintf(". The last error in its log is of %s: %s", cmp.Or(entry.logger, "the landscape"), entry.message)
		if reason := entry.field("error"); reason != "" {
			last += ": " + reason
		}
	}
	return last
}
