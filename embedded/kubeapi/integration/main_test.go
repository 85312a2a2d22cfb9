// Package integration tests kube-apiserver as this project runs it, over the built binary.
package integration

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// idle is how long the server under test keeps OpenAPI documents.
const idle = "1s"

var garden *gardenapitest.Garden

// watched is the directory whose disk the server under test watches.
var watched string

func TestMain(m *testing.M) {
	var err error
	if watched, err = os.MkdirTemp("", "watched"); err != nil {
		panic(err)
	}
	gardenapitest.Main(m, gardenapitest.Options{Env: testenv.Options{
		CRDs:          []*apiextensionsv1.CustomResourceDefinition{definition("Widget", "widgets", "size")},
		APIServerArgs: []string{"--openapi-idle=" + idle, "--v=2", "--disk-watch=" + watched},
	}}, func(g *gardenapitest.Garden) { garden = g })
}

// definition has one string in its spec, which is required and described.
func definition(kind, plural, field string) *apiextensionsv1.CustomResourceDefinition {
	text := apiextensionsv1.JSONSchemaProps{Type: "string", Description: "Says how much."}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + ".test.example.org"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "test.example.org", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: kind, ListKind: kind + "List", Plural: plural, Singular: strings.ToLower(kind)},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
						"spec": {Type: "object", Required: []string{field}, Properties: map[string]apiextensionsv1.JSONSchemaProps{field: text}},
					},
				}},
			}},
		},
	}
}

// kubectl runs the binary's kubectl as an administrator.
func kubectl(t *testing.T, input string, args ...string) (string, error) {
	t.Helper()
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"kubectl", "--kubeconfig=" + garden.Kubeconfig, "--cache-dir=" + t.TempDir()}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	cmd.Stdin = strings.NewReader(input)
	output, err := cmd.CombinedOutput()
	return string(output), err
}
