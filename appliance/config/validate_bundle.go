package config

import (
	"path/filepath"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gardener-up/gardener-up/appliance/bundle"
)

// validateBundle does not read the bundle: that is done, and may fail, at each start.
func validateBundle(path *field.Path, l *Landscape) field.ErrorList {
	var errs field.ErrorList
	switch file := l.Bundle.File; {
	case file == "":
		if l.Bundle.KeyFile != "" {
			errs = append(errs, field.Required(path.Child("file"), "must name the bundle that the key is for"))
		}
	case !filepath.IsAbs(file):
		errs = append(errs, field.Invalid(path.Child("file"), file, "must be an absolute path"))
	case l.Seed.Kind():
		errs = append(errs, field.Forbidden(path.Child("file"), "nodes of kind have images of their own"))
	}
	if l.Bundle.KeyFile != "" {
		errs = append(errs, validateFile(path.Child("keyFile"), l.Bundle.KeyFile, func(file string) error {
			_, err := bundle.ReadPublicKey(file)
			return err
		})...)
	}
	return errs
}
