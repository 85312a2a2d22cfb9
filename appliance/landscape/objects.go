// Package landscape holds the objects that every landscape starts with: domains, a CloudProfile, a Project and bindings
// named "local", so that the first Shoot needs no other objects. It writes them into the garden and never reverts changes of
// a user.
package landscape

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"text/template"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

//go:embed objects/*.yaml
var files embed.FS

// Values are what the objects depend on.
type Values struct {
	InternalDomain, ExternalDomain string
	// KubernetesVersions of the CloudProfile, newest first.
	KubernetesVersions []string
}

// Objects returns the objects in the order in which they are to be created.
func Objects(values Values) ([]*unstructured.Unstructured, error) {
	names, err := fs.Glob(files, "objects/*.yaml")
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, name := range names {
		tmpl, err := template.New("").Option("missingkey=error").ParseFS(files, name)
		if err != nil {
			return nil, fmt.Errorf("parse %s: %w", name, err)
		}
		var text bytes.Buffer
		if err := tmpl.ExecuteTemplate(&text, name[len("objects/"):], values); err != nil {
			return nil, fmt.Errorf("render %s: %w", name, err)
		}
		decoder := yaml.NewYAMLOrJSONDecoder(&text, 4096)
		for {
			object := &unstructured.Unstructured{}
			if err := decoder.Decode(object); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("decode %s: %w", name, err)
			}
			objects = append(objects, object)
		}
	}
	return objects, nil
}
