package config

import (
	"path/filepath"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateFile requires an absolute path, since the daemon runs in another directory, and readable content.
func validateFile(path *field.Path, file string, read func(string) error) field.ErrorList {
	switch {
	case file == "":
		return field.ErrorList{field.Required(path, "must name a file")}
	case !filepath.IsAbs(file):
		return field.ErrorList{field.Invalid(path, file, "must be an absolute path")}
	}
	if err := read(file); err != nil {
		return field.ErrorList{field.Invalid(path, file, err.Error())}
	}
	return nil
}
