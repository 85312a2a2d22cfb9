package network

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/template"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// manifest is what makes the network in a Shoot.
type manifest struct {
	// documents are in YAML.
	documents []byte
	// daemons are the names of the DaemonSets.
	daemons []string
}

// render fills in the pod range, as kind does for its own clusters, and marks the DaemonSets as critical for their nodes: no other pods
// start on a new node before its network works.
func render(text, podCIDR string) (manifest, error) {
	tmpl, err := template.New("network").Option("missingkey=error").Parse(text)
	if err != nil {
		return manifest{}, fmt.Errorf("parse manifest of the network: %w", err)
	}
	var rendered bytes.Buffer
	if err := tmpl.Execute(&rendered, struct{ PodSubnet string }{podCIDR}); err != nil {
		return manifest{}, fmt.Errorf("render manifest of the network: %w", err)
	}
	var out bytes.Buffer
	var daemons []string
	for decoder := utilyaml.NewYAMLOrJSONDecoder(&rendered, 4096); ; {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return manifest{documents: out.Bytes(), daemons: daemons}, nil
		}
		if err != nil {
			return manifest{}, fmt.Errorf("read manifest of the network: %w", err)
		}
		if len(object.Object) == 0 {
			continue
		}
		if object.GetKind() == "DaemonSet" {
			if err := critical(object); err != nil {
				return manifest{}, fmt.Errorf("mark daemon of the network: %w", err)
			}
			daemons = append(daemons, object.GetName())
		}
		document, err := yaml.Marshal(object.Object)
		if err != nil {
			return manifest{}, fmt.Errorf("encode manifest of the network: %w", err)
		}
		if out.Len() > 0 {
			out.WriteString("---\n")
		}
		out.Write(document)
	}
}

// critical adds the label for critical components, and the toleration that such a component needs.
func critical(daemon *unstructured.Unstructured) error {
	for _, path := range [][]string{{"metadata", "labels"}, {"spec", "template", "metadata", "labels"}} {
		if err := unstructured.SetNestedField(daemon.Object, "true", append(path, constants.LabelNodeCriticalComponent)...); err != nil {
			return err
		}
	}
	path := []string{"spec", "template", "spec", "tolerations"}
	tolerations, _, err := unstructured.NestedSlice(daemon.Object, path...)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(tolerations, tolerated) {
		return nil
	}
	tolerations = append(tolerations, map[string]any{"key": constants.TaintNodeCriticalComponentsNotReady, "operator": "Exists", "effect": "NoSchedule"})
	return unstructured.SetNestedSlice(daemon.Object, tolerations, path...)
}

// tolerated reports whether the toleration covers the taint of nodes whose critical components do not run.
func tolerated(toleration any) bool {
	t, _ := toleration.(map[string]any)
	key, _ := t["key"].(string)
	effect, _ := t["effect"].(string)
	return t["operator"] == "Exists" && (key == "" || key == constants.TaintNodeCriticalComponentsNotReady) && (effect == "" || effect == "NoSchedule")
}
