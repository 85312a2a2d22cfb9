// Package componentconfig holds what the configurations of several components have in common: types with their defaults
// and their validation, and strict decoding.
package componentconfig

import (
	"errors"
	"fmt"

	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// Decode reads YAML or JSON into a configuration. The error names all unknown and duplicate keys. The spelling of keys
// matters.
func Decode(raw []byte, configuration any) error {
	document, err := yaml.YAMLToJSONStrict(raw)
	if err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	unknown, err := kjson.UnmarshalStrict(document, configuration)
	if err = errors.Join(append(unknown, err)...); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	return nil
}
