// Package imports holds the directions in which the rooms of this project may import each other; see docs/architecture.md.
package imports

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/gardener-up/gardener-up/"

// rule forbids packages below from to import packages below any of the others.
type rule struct {
	from   string
	banned []string
	except []string // prefixes of from, or of what is imported, that are free
	reason string
}

var rules = []rule{
	{"embedded/", []string{"appliance/", "controllers/", "local/", "local", "providers/", "cmd/", "e2e/"}, nil, "servers know nothing about who runs them"},
	{"embedded/apis/", []string{"embedded/"}, []string{"embedded/apis/"}, "API types are a leaf that everyone may import"},
	{"controllers/", []string{"appliance/", "local/", "local", "cmd/", "e2e/"}, nil, "controllers reach providers through the contract"},
	{"controllers/", []string{"embedded/"}, embeddedLeaves, "controllers reach clusters through clients, not through servers"},
	{"providers/", []string{"appliance/", "controllers/", "local/", "local", "cmd/", "e2e/"}, nil, "the contract is below those who use it"},
	{"local", []string{"appliance/", "controllers/", "cmd/", "e2e/"}, nil, "the provider is composed by the appliance"},
	{"appliance/", []string{"cmd/", "e2e/"}, nil, "nobody imports the command line or the end-to-end tests"},
	{"appliance/component", []string{""}, []string{"appliance/component"}, "the contract needs the standard library only"},
}

var embeddedLeaves = []string{"embedded/apis/", "embedded/apihelper/", "embedded/apivalidation/", "embedded/atomicfile", "embedded/certificate", "embedded/image", "embedded/incluster", "embedded/kubeversion", "embedded/testenv", "embedded/gardenapi/testserver"}

// kubernetes may be linked only by these: everything else must build in seconds.
var kubernetes = []string{"embedded/kubeapi", "embedded/kubecontroller", "embedded/kubescheduler", "embedded/node", "appliance", "cmd/gardener", "embedded/internal/kubecommand"}

// vertical may link the vertical pod autoscaler, which keeps its settings in globals and ends the process when it gives up.
const vertical = "controllers/verticalautoscaler"

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		for _, imported := range p.Imports {
			if target, ours := strings.CutPrefix(imported, module); ours {
				checkRules(t, path, target)
			} else if strings.HasPrefix(imported, "k8s.io/kubernetes/") && !startsWithAny(path, kubernetes) {
				t.Errorf("%s imports %s: only %v may link k8s.io/kubernetes", path, imported, kubernetes)
			} else if strings.HasPrefix(imported, "k8s.io/autoscaler/") && path != vertical {
				t.Errorf("%s imports %s: only %s may link the vertical pod autoscaler", path, imported, vertical)
			}
		}
	}
}

func checkRules(t *testing.T, path, target string) {
	for _, r := range rules {
		if !strings.HasPrefix(path+"/", r.from) || startsWithAny(path+"/", r.except) || startsWithAny(target+"/", r.except) {
			continue
		}
		if slices.ContainsFunc(r.banned, func(b string) bool { return strings.HasPrefix(target+"/", b) || target == b }) {
			t.Errorf("%s imports %s: %s", path, target, r.reason)
		}
	}
}

func startsWithAny(path string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(path, p) })
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p pkg
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}
