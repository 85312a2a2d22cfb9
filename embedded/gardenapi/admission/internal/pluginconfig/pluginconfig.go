// Package pluginconfig decodes the configuration that a plugin gets from the admission configuration file.
package pluginconfig

import (
	"fmt"
	"io"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// Decode reads YAML or JSON into out, whose apiVersion and kind must be as given; fields that out does not have are
// errors. kinds are alternatives. Without configuration, out stays as it is.
func Decode(from io.Reader, apiVersion string, kinds []string, out any) error {
	if from == nil {
		return nil
	}
	text, err := io.ReadAll(from)
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	if len(text) == 0 {
		return nil
	}
	var typeMeta metav1.TypeMeta
	if err := yaml.Unmarshal(text, &typeMeta); err != nil {
		return fmt.Errorf("decode configuration: %w", err)
	}
	if typeMeta.APIVersion != apiVersion || !slices.Contains(kinds, typeMeta.Kind) {
		return fmt.Errorf("configuration is %s %s, not %s %s", typeMeta.APIVersion, typeMeta.Kind, apiVersion, kinds[0])
	}
	if err := yaml.UnmarshalStrict(text, out); err != nil {
		return fmt.Errorf("decode configuration: %w", err)
	}
	return nil
}
