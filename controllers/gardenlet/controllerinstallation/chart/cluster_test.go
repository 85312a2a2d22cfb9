package chart

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/controllerinstallation/chart/charttest"
)

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.own.example.org}
spec:
  group: own.example.org
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions: [{name: v1, served: true, storage: true}, {name: v0, served: false}]
`

func asking(t *testing.T, template string) []byte {
	t.Helper()
	return charttest.Pack(t, fstest.MapFS{
		"Chart.yaml":       {Data: []byte("apiVersion: v2\nname: asking\nversion: 1.0.0\n")},
		"crds/things.yaml": {Data: []byte(definition)},
		"templates/a.yaml": {Data: []byte(template)},
	})
}

func configMap(data string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {answer: '" + data + "'}\n"
}

func TestAnswers(t *testing.T) {
	cluster := seed("apps/v1", "apps/v1/Deployment")
	for name, tc := range map[string]struct {
		template string
		answer   string
		want     Answers
	}{
		"a chart that asks nothing":    {configMap("{{ .Capabilities.KubeVersion.GitVersion }} {{ .Capabilities.HelmVersion.Version }}"), "v1.30.1 ", Answers{}},
		"what a chart asks":            {configMap(`{{ .Capabilities.APIVersions.Has "apps/v1" }} {{ .Capabilities.APIVersions.Has (printf "%s/v1" "x") }}`), "true false", Answers{"apps/v1": true, "x/v1": false}},
		"its own definitions":          {configMap(`{{ .Capabilities.APIVersions.Has "own.example.org/v1/Thing" }} {{ .Capabilities.APIVersions.Has "own.example.org/v0" }}`), "true false", Answers{"own.example.org/v0": false}},
		"the list of all kinds":        {configMap(`{{ has "apps/v1/Deployment" .Capabilities.APIVersions }} {{ has "own.example.org/v1" .Capabilities.APIVersions }}`), "true true", Answers{}},
		"a kind that nobody knows":     {configMap("") + "---\napiVersion: webhook.example.org/v1\nkind: Other\nmetadata: {name: b}\n", "", Answers{"webhook.example.org/v1/Other": false}},
		"a kind that it defines":       {configMap("") + "---\napiVersion: own.example.org/v1\nkind: Thing\nmetadata: {name: b}\n", "", Answers{}},
		"an object that has its place": {configMap("") + "---\napiVersion: webhook.example.org/v1\nkind: Other\nmetadata: {name: b, namespace: c}\n", "", Answers{}},
	} {
		t.Run("EXT-22 noted is "+name, func(t *testing.T) {
			objects, answers, err := Render(asking(t, tc.template), Release{Name: "c", Namespace: "n", Cluster: cluster})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, answers); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
			data := find(t, objects, "ConfigMap").Object["data"].(map[string]any)
			if answer := data["answer"].(string); !strings.HasPrefix(answer, tc.answer) {
				t.Errorf("the chart heard %q, want %q", answer, tc.answer)
			}
		})
	}
}

func TestConfirms(t *testing.T) {
	answers := Answers{"a/v1": true, "b/v1/B": false}
	for name, tc := range map[string]struct {
		cluster Cluster
		want    bool
	}{
		"the same kinds":                        {Cluster{APIs: []string{"a/v1"}}, true},
		"further kinds":                         {Cluster{APIs: []string{"a/v1", "b/v1", "c/v1/C"}}, true},
		"a kind that was not there":             {Cluster{APIs: []string{"a/v1", "b/v1/B"}}, false},
		"a version that is gone":                {Cluster{}, false},
		"a version whose server is silent":      {Cluster{Silent: []string{"a/v1"}}, true},
		"a server of another version is silent": {Cluster{Silent: []string{"a/v11"}}, false},
	} {
		t.Run("GLT-22 a chart is rendered again unless its questions have the same answers: "+name, func(t *testing.T) {
			if got := tc.cluster.Confirms(answers); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestSilentServer(t *testing.T) {
	cluster := seed("apps/v1")
	cluster.Silent = []string{"webhook.example.org/v1"}
	for name, tc := range map[string]struct {
		template string
		refused  bool
	}{
		"a chart that needs no answer":          {configMap(`{{ .Capabilities.APIVersions.Has "apps/v1" }}`), false},
		"a chart that asks for a version":       {configMap(`{{ .Capabilities.APIVersions.Has "webhook.example.org/v1" }}`), true},
		"a chart that fails without the kind":   {configMap(`{{ if not (.Capabilities.APIVersions.Has "webhook.example.org/v1/Thing") }}{{ fail "no things" }}{{ end }}`), true},
		"a chart that uses the list":            {configMap(`{{ len .Capabilities.APIVersions }}`), true},
		"a chart with an object of the version": {"apiVersion: webhook.example.org/v1\nkind: Other\nmetadata: {name: b}\n", true},
	} {
		t.Run("GLT-22 while a server does not answer: "+name, func(t *testing.T) {
			_, _, err := Render(asking(t, tc.template), Release{Name: "c", Namespace: "n", Cluster: cluster})
			var unanswered UnansweredError
			if refused := errors.As(err, &unanswered); refused != tc.refused || err != nil && !refused {
				t.Fatalf("got %v", err)
			}
			if tc.refused && !strings.Contains(err.Error(), "webhook.example.org/v1") {
				t.Errorf("the error does not name the version: %v", err)
			}
		})
	}
}
