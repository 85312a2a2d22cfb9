// Package secretfiles reads the values of the Secret of an object store: the files of a mounted Secret, or its data.
package secretfiles

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Source reads one value. The error of a value that does not exist is fs.ErrNotExist.
type Source func(name string) ([]byte, error)

// Dir reads the files of a mounted Secret. It reads them again each time.
func Dir(dir string) Source {
	return func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) }
}

// Data reads the data of a Secret.
func Data(data map[string][]byte) Source {
	return func(name string) ([]byte, error) {
		value, found := data[name]
		if !found {
			return nil, fs.ErrNotExist
		}
		return value, nil
	}
}

// Values reads values, and notes which are missing.
type Values struct {
	from    Source
	missing []string
}

// Of begins to read.
func Of(from Source) *Values { return &Values{from: from} }

// Optional is a value without spaces around it; empty if it does not exist.
func (v *Values) Optional(name string) string {
	content, err := v.from(name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

// Required is a value that must exist.
func (v *Values) Required(name string) string {
	text := v.Optional(name)
	if text == "" {
		v.missing = append(v.missing, name)
	}
	return text
}

// Err names the values that are missing.
func (v *Values) Err() error {
	if len(v.missing) == 0 {
		return nil
	}
	return fmt.Errorf("the Secret of the store lacks %s", strings.Join(v.missing, ", "))
}
