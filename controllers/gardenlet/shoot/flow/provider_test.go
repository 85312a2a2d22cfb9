package flow

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// controlPlanePackages decide on the content of the Deployments of kube-apiserver, kube-controller-manager and kube-scheduler.
var controlPlanePackages = []string{
	"apiserver", "controlplane", "../../component/kubeapiserver", "../../component/kubecontrollermanager", "../../component/kubescheduler", "../../component/pod",
}

// ofProviders are fields that only providers read: the type of a provider, its documents and its credentials.
var ofProviders = []string{"Spec.Provider.Type", "InfrastructureConfig", "ControlPlaneConfig", "ProviderStatus", "InfrastructureProviderStatus", "CloudProfile", "CloudProvider"}

// ofProvider lists the places of a file that read such a field.
func ofProvider(set *token.FileSet, file *ast.File) (found []string) {
	ast.Inspect(file, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		for _, field := range ofProviders {
			if strings.HasSuffix(types.ExprString(selector), "."+field) {
				found = append(found, fmt.Sprintf("%s reads %s", set.Position(selector.Pos()), field))
			}
		}
		return true
	})
	return found
}

func TestControlPlanesKnowNoProvider(t *testing.T) {
	for _, dir := range controlPlanePackages {
		t.Run("GLT-29 "+dir, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(dir, "*.go"))
			if err != nil || len(files) == 0 {
				t.Fatalf("files are %v, %v", files, err)
			}
			for _, name := range files {
				if strings.HasSuffix(name, "_test.go") {
					continue
				}
				set := token.NewFileSet()
				file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
				if err != nil {
					t.Fatal(err)
				}
				for _, place := range ofProvider(set, file) {
					t.Errorf("%s; a webhook of the provider has to add what depends on it", place)
				}
			}
		})
	}
}

func TestOfProviderFindsWhatIsRead(t *testing.T) {
	const source = `package p
func f() {
	if shoot.Spec.Provider.Type == "local" { use(shoot.Spec.Provider.ControlPlaneConfig) }
	use(shoot.Spec.Provider.Workers, encryption.Provider.Type, space.CloudProvider())
}`
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"p.go:3:5 reads Spec.Provider.Type", "p.go:3:47 reads ControlPlaneConfig", "p.go:4:61 reads CloudProvider"}
	if diff := cmp.Diff(want, ofProvider(set, file)); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}
