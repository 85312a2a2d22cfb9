package chart

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const (
	annotationHook   = "helm.sh/hook"
	annotationPolicy = "helm.sh/resource-policy"
	policyKeep       = "keep"
)

// Release is what a chart learns about its installation.
type Release struct {
	Name, Namespace string
	// Values take precedence over those of the chart.
	Values map[string]any
	// Cluster is the cluster that the chart is installed into.
	Cluster Cluster
}

// Render returns the objects of the chart, and what it asked about the cluster. Objects of kinds with a namespace are in the
// namespace of the release unless they name another one. A chart with hooks is refused: nothing would run them at the time
// that the chart expects.
func Render(archive []byte, release Release) ([]*unstructured.Unstructured, Answers, error) {
	version, err := chartutil.ParseKubeVersion(release.Cluster.Version)
	if err != nil {
		return nil, nil, fmt.Errorf("version of Kubernetes: %w", err)
	}
	chart, err := load(archive, version.Version)
	if err != nil {
		return nil, nil, err
	}
	objects, answers, err := release.render(chart, version)
	if err != nil {
		return nil, nil, fmt.Errorf("chart %q: %w", chart.Name(), err)
	}
	return objects, answers, nil
}

func (r Release) render(chart *helmchart.Chart, version *chartutil.KubeVersion) ([]*unstructured.Unstructured, Answers, error) {
	if err := chartutil.ProcessDependenciesWithMerge(chart, chartutil.Values(r.Values)); err != nil {
		return nil, nil, fmt.Errorf("select charts it depends on: %w", err)
	}
	definitions, err := definitions(chart)
	if err != nil {
		return nil, nil, err
	}
	asked := &interview{cluster: r.Cluster, own: serves(definitions), answers: Answers{}}
	files, err := r.files(chart, asked.capabilities(chart, version))
	if incomplete := asked.complete(); incomplete != nil {
		return nil, nil, incomplete // a template may have failed because of the answer
	}
	if err != nil {
		return nil, nil, err
	}
	rendered, err := manifest.Decode(files)
	if err != nil {
		return nil, nil, err
	}
	if err := refuseHooks(rendered); err != nil {
		return nil, nil, err
	}
	objects := slices.Concat(definitions, rendered)
	for _, object := range objects {
		if r.place(object, objects) {
			asked.Has(object.GetAPIVersion() + "/" + object.GetKind())
		}
		keepAsHelm(object)
	}
	return objects, asked.answers, asked.complete()
}

// files renders the templates. Partials and the notes for users make no objects.
func (r Release) files(chart *helmchart.Chart, capabilities *capabilities) (map[string][]byte, error) {
	options := chartutil.ReleaseOptions{Name: r.Name, Namespace: r.Namespace, Revision: 1, IsInstall: true}
	values, err := chartutil.ToRenderValues(chart, chartutil.Values(r.Values), options, capabilities.Capabilities)
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	values["Capabilities"] = capabilities
	texts, err := engine.Render(chart, values) // without a client: the function lookup finds nothing
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, text := range texts {
		if base := path.Base(name); strings.HasPrefix(base, "_") || strings.HasSuffix(base, "NOTES.txt") || strings.TrimSpace(text) == "" {
			continue
		}
		files[name] = []byte(text)
	}
	return files, nil
}

// definitions are the files in the directories crds. They are no templates, and they stay when the chart goes, as with
// Helm: their deletion would delete all objects of the kinds.
func definitions(chart *helmchart.Chart) ([]*unstructured.Unstructured, error) {
	files := map[string][]byte{}
	for _, definition := range chart.CRDObjects() {
		files[definition.Filename] = definition.File.Data
	}
	objects, err := manifest.Decode(files)
	for _, object := range objects {
		annotate(object, resourcesv1alpha1.KeepObject, "true")
	}
	return objects, err
}

func refuseHooks(objects []*unstructured.Unstructured) error {
	var hooks []string
	for _, object := range objects {
		if _, is := object.GetAnnotations()[annotationHook]; is {
			hooks = append(hooks, fmt.Sprintf("%s %q", object.GetKind(), object.GetName()))
		}
	}
	if len(hooks) == 0 {
		return nil
	}
	return errors.New("hooks are not supported, since the objects of the chart are applied all at once, again and again: " +
		"remove the annotation " + annotationHook + " from " + strings.Join(hooks, ", "))
}

// place sets the namespace, which charts may leave to Helm. It reports whether the place depends on a kind that nobody knows yet.
func (r Release) place(object *unstructured.Unstructured, all []*unstructured.Unstructured) (open bool) {
	namespaced, known := r.Cluster.Namespaced(object.GroupVersionKind())
	if !known {
		namespaced, known = defined(object.GroupVersionKind().GroupKind(), all)
	}
	switch {
	case known && !namespaced:
		object.SetNamespace("")
	case known && object.GetNamespace() == "":
		object.SetNamespace(r.Namespace)
	}
	return !known && object.GetNamespace() == ""
}

// defined looks for the definition of a kind in the chart.
func defined(kind schema.GroupKind, all []*unstructured.Unstructured) (namespaced, known bool) {
	for _, object := range all {
		if object.GetKind() != "CustomResourceDefinition" {
			continue
		}
		group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
		name, _, _ := unstructured.NestedString(object.Object, "spec", "names", "kind")
		if group == kind.Group && name == kind.Kind {
			scope, _, _ := unstructured.NestedString(object.Object, "spec", "scope")
			return scope == "Namespaced", true
		}
	}
	return false, false
}

// keepAsHelm keeps an object that Helm would keep when the chart is removed.
func keepAsHelm(object *unstructured.Unstructured) {
	if object.GetAnnotations()[annotationPolicy] == policyKeep {
		annotate(object, resourcesv1alpha1.KeepObject, "true")
	}
}

func annotate(object *unstructured.Unstructured, key, value string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	object.SetAnnotations(annotations)
}
