package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// validName refuses paths that readers refuse. The manifest is JSON, which has UTF-8 only.
func validName(name string) error {
	switch {
	case name == "" || name == "." || len(name) > maxName || path.Clean(name) != name || !filepath.IsLocal(name) || strings.Contains(name, "\x00"):
		return fmt.Errorf("the path %.200q leads elsewhere", name)
	case name == headerName || name == manifestName:
		return fmt.Errorf("the path %q is that of the archive itself", name)
	case !utf8.ValidString(name):
		return fmt.Errorf("the path %.200q is no UTF-8", name)
	}
	return nil
}

// validTarget does the same for what a symbolic link leads to. It may be any path.
func validTarget(target string) error {
	if target == "" || len(target) > maxName || strings.Contains(target, "\x00") || !utf8.ValidString(target) {
		return errors.New("the link leads nowhere")
	}
	return nil
}

// Weight is how much of the room of an archive an entry takes, whatever it is: 1, and more if its path or target is long.
func Weight(path, target string) int {
	text, err := json.Marshal([]string{path, target})
	if err != nil {
		return maxEntries
	}
	return 1 + (len(text)+besideNames)/unit
}
