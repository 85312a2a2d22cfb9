// Package manifest turns the data of Secrets into the objects that a resource manager applies: decoding, the marks of
// managed objects, the fields preserved from the live object, and the order of application.
//
// All functions are pure: they reach no cluster.
package manifest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// Decode reads all documents (YAML or JSON, also several per key, also of kind List) under all keys of data. The result
// has the order of the sorted keys. The error lists all mistakes, not only the first one.
func Decode(data map[string][]byte) ([]*unstructured.Unstructured, error) {
	var (
		objects []*unstructured.Unstructured
		errs    []error
	)
	for _, key := range slices.Sorted(maps.Keys(data)) {
		raw, err := decompress(key, data[key])
		if err != nil {
			errs = append(errs, fmt.Errorf("decompress key %q: %w", key, err))
			continue
		}
		decoded, err := decodeDocuments(raw)
		if err != nil {
			errs = append(errs, fmt.Errorf("decode key %q: %w", key, err))
			continue
		}
		objects = append(objects, decoded...)
	}
	return objects, errors.Join(errs...)
}

// Checksum is the hexadecimal SHA256 over all keys and values, independent of the order of the map.
func Checksum(data map[string][]byte) string {
	sum := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(data)) {
		fmt.Fprintf(sum, "%d:%s:%d:", len(key), key, len(data[key]))
		sum.Write(data[key])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func decodeDocuments(raw []byte) ([]*unstructured.Unstructured, error) {
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(raw), 4096)
	var objects []*unstructured.Unstructured
	for number := 1; ; number++ {
		var content map[string]any
		err := decoder.Decode(&content)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", number, err)
		}
		if len(content) == 0 {
			continue
		}
		items, err := flatten(&unstructured.Unstructured{Object: content})
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", number, err)
		}
		objects = append(objects, items...)
	}
}

// flatten resolves lists and refuses documents that are no objects.
func flatten(object *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	if object.GetAPIVersion() == "" || object.GetKind() == "" {
		return nil, errors.New("object has no apiVersion or kind")
	}
	if object.IsList() {
		list, err := object.ToList()
		if err != nil {
			return nil, err
		}
		var objects []*unstructured.Unstructured
		for i := range list.Items {
			items, err := flatten(&list.Items[i])
			if err != nil {
				return nil, err
			}
			objects = append(objects, items...)
		}
		return objects, nil
	}
	if object.GetName() == "" {
		return nil, fmt.Errorf("%s has no metadata.name", object.GetKind())
	}
	if err := normalise(object); err != nil {
		return nil, fmt.Errorf("%s %q: %w", object.GetKind(), object.GetName(), err)
	}
	return []*unstructured.Unstructured{object}, nil
}

// normalise drops fields that only a server may set, and converts numbers to the form that the API machinery expects.
func normalise(object *unstructured.Unstructured) error {
	raw, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	if err := object.UnmarshalJSON(raw); err != nil { // int64 instead of float64
		return err
	}
	for _, field := range []string{"creationTimestamp", "managedFields", "resourceVersion", "uid", "generation", "selfLink"} {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(object.Object, "status")
	if object.GroupVersionKind().GroupKind() == secretKind {
		return encodeStringData(object)
	}
	return nil
}

// encodeStringData moves stringData to data, since write-only fields can be neither compared nor removed.
func encodeStringData(secret *unstructured.Unstructured) error {
	values, found, err := unstructured.NestedStringMap(secret.Object, "stringData")
	if err != nil || !found {
		return err
	}
	for key, value := range values {
		encoded := base64.StdEncoding.EncodeToString([]byte(value))
		if err := unstructured.SetNestedField(secret.Object, encoded, "data", key); err != nil {
			return err
		}
	}
	unstructured.RemoveNestedField(secret.Object, "stringData")
	return nil
}
