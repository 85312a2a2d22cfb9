package config

import (
	"github.com/google/go-containerregistry/pkg/name"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// everyRegistry is the key of mirrors for all registries that have none of their own.
const everyRegistry = "*"

func validateMirrors(path *field.Path, mirrors map[string][]string) field.ErrorList {
	var errs field.ErrorList
	for registry, list := range mirrors {
		if registry != everyRegistry {
			errs = append(errs, validateRegistry(path.Key(registry), registry)...)
		}
		for i, mirror := range list {
			errs = append(errs, validateRegistry(path.Key(registry).Index(i), mirror)...)
		}
	}
	return errs
}

func validateRegistry(path *field.Path, registry string) field.ErrorList {
	if _, err := name.NewRegistry(registry, name.StrictValidation); err != nil {
		return field.ErrorList{field.Invalid(path, registry, "must be the host of a registry, optionally with a port, such as mirror.example.org:5000")}
	}
	return nil
}
