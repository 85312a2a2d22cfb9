package chart

import (
	"fmt"
	"slices"
	"strings"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Cluster is what a chart learns about the cluster.
type Cluster struct {
	// Version of Kubernetes, like v1.30.1.
	Version string
	// APIs are the served versions and kinds, like apps/v1 and apps/v1/Deployment.
	APIs []string
	// Silent are versions whose server does not answer, like metrics.k8s.io/v1beta1. Their kinds are not known.
	Silent []string
	// Namespaced reports whether objects of the kind have a namespace. The second result is false if the cluster does not
	// know the kind.
	Namespaced func(schema.GroupVersionKind) (namespaced, known bool)
}

// Answers are what a chart asked about versions and kinds, and whether the cluster serves them.
type Answers map[string]bool

// Confirms reports whether the cluster would give the same answers again. A server that does not answer contradicts nothing.
func (c Cluster) Confirms(answers Answers) bool {
	for api, served := range answers {
		if c.silent(api) == "" && slices.Contains(c.APIs, api) != served {
			return false
		}
	}
	return true
}

// silent returns the version that the API belongs to if the server of that version does not answer.
func (c Cluster) silent(api string) string {
	for _, version := range c.Silent {
		if api == version || strings.HasPrefix(api, version+"/") {
			return version
		}
	}
	return ""
}

// UnansweredError is the error of a chart that depends on what the cluster cannot tell at the moment. It helps to try again.
type UnansweredError struct{ Version string }

func (e UnansweredError) Error() string {
	return fmt.Sprintf("the chart depends on the kinds of %s, whose server in the seed does not answer", e.Version)
}

// interview notes the questions of one chart to the cluster.
type interview struct {
	cluster Cluster
	own     []string // APIs that the chart brings itself
	answers Answers
	all     bool // the chart may have looked at all APIs
}

// Has answers the templates. Definitions of the chart count as served, since Helm applies them before it renders.
func (i *interview) Has(api string) bool {
	if slices.Contains(i.own, api) {
		return true
	}
	i.answers[api] = slices.Contains(i.cluster.APIs, api)
	return i.answers[api]
}

// complete returns an error if a server did not answer a question of the chart.
func (i *interview) complete() error {
	if i.all && len(i.cluster.Silent) > 0 {
		return UnansweredError{i.cluster.Silent[0]}
	}
	for api := range i.answers {
		if version := i.cluster.silent(api); version != "" {
			return UnansweredError{version}
		}
	}
	return nil
}

// capabilities are those of Helm, with an interview instead of the list of APIs.
type capabilities struct {
	*chartutil.Capabilities
	APIVersions any
}

// capabilities returns what templates see. A chart that uses the list of APIs as a list gets the list: its questions are not known.
func (i *interview) capabilities(chart *helmchart.Chart, version *chartutil.KubeVersion) *capabilities {
	helm := chartutil.DefaultCapabilities.Copy()
	helm.KubeVersion, helm.APIVersions = *version, chartutil.VersionSet(slices.Concat(i.cluster.APIs, i.own))
	if i.all = usesList(chart); i.all {
		return &capabilities{Capabilities: helm, APIVersions: helm.APIVersions}
	}
	return &capabilities{Capabilities: helm, APIVersions: i}
}

func usesList(chart *helmchart.Chart) bool {
	for _, template := range chart.Templates {
		text := string(template.Data)
		if strings.Count(text, ".APIVersions") != strings.Count(text, ".APIVersions.Has ") {
			return true
		}
	}
	return slices.ContainsFunc(chart.Dependencies(), usesList)
}

// serves returns the APIs that the definitions add to the cluster.
func serves(definitions []*unstructured.Unstructured) []string {
	var apis []string
	for _, definition := range definitions {
		group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
		versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
		for _, raw := range versions {
			version, _ := raw.(map[string]any)
			if name, _ := version["name"].(string); name != "" && version["served"] == true {
				apis = append(apis, group+"/"+name, group+"/"+name+"/"+kind)
			}
		}
	}
	return apis
}
