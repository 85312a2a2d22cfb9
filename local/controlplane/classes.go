package controlplane

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// classes returns the names of the storage classes in the YAML documents.
func classes(documents []byte) ([]string, error) {
	var names []string
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(documents), 4096)
	for {
		object := metav1.PartialObjectMetadata{}
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read documents of the storage: %w", err)
		}
		if object.Kind == "StorageClass" {
			names = append(names, object.Name)
		}
	}
}
