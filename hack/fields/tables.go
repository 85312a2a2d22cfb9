package fields

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/ineffective"
	"github.com/gardener-up/gardener-up/hack/typecheck"
)

// tablesOf declares the tables.
const tablesOf = "embedded/gardenapi/registry/core/ineffective"

var tables = map[string][]ineffective.Field{
	"Shoot": ineffective.Shoot.Fields, "Seed": ineffective.Seed.Fields, "Project": ineffective.Project.Fields,
	"CloudProfile": ineffective.CloudProfile.Fields, "NamespacedCloudProfile": ineffective.NamespacedCloudProfile.Fields,
}

// elsewhere are fields that have an effect although no selector reads them, with the reason.
var elsewhere = map[string]map[string]string{
	"Shoot": {
		"spec.addons.kubernetes-dashboard": "defaulting moves it to kubernetesDashboard",
		"spec.addons.nginx-ingress":        "defaulting moves it to nginxIngress",
	},
	"Project": {
		"spec.createdBy":   "information for people",
		"spec.description": "information for people",
		"spec.purpose":     "information for people",
	},
}

// elsewhereInConfiguration are keys of configurations that have an effect although only their defaults read them: former names
// of other keys, and the format of logs, which cmd/gardener/app reads before the component starts.
var elsewhereInConfiguration = map[string][]string{
	"/controllers/admissioncontroller/config": {"logFormat"},
	"/controllers/controllermanager/config":   {"logFormat"},
	"/controllers/gardenlet/config":           {"logFormat"},
	"/controllers/operator/config":            {"logFormat"},
	"/controllers/scheduler/config":           {"logFormat"},
	"/controllers/resourcemanager/config": {
		"sourceClientConnection.namespace", "targetClientConnection.namespace", "logFormat", "controllers.kubeletCSRApprover", "controllers.node",
	},
}

// Check compares the tables of the API, and the tags of configurations, with what the code reads.
func Check(m *typecheck.Module) (complaints []string, err error) {
	acting, judging, err := Find(m)
	if err != nil {
		return nil, err
	}
	pkg, err := m.Importer.Import(module + "/embedded/apis/core/v1beta1")
	if err != nil {
		return nil, err
	}
	for kind, table := range tables {
		readers := []Readers{acting, judging}
		if kind == "Shoot" {
			readers = readers[:1] // what admission reads of a Shoot has no effect on the shoot
		}
		complaints = append(complaints, wrongTable(kind, table, elsewhere[kind], Unread(pkg.Scope().Lookup(kind+"Spec").Type(), "spec", readers...))...)
	}
	for _, path := range configurations {
		pkg, err := m.Importer.Import(module + path)
		if err != nil {
			return nil, err
		}
		kind := pkg.Scope().Lookup("Kind").(*types.Const)
		untagged, tagged := Wrong(pkg.Scope().Lookup(constant.StringVal(kind.Val())).Type(), acting)
		if diff := cmp.Diff(elsewhereInConfiguration[path], untagged); diff != "" {
			complaints = append(complaints, fmt.Sprintf("%s: these fields need the tag effect:\"none\", as nobody reads them (-want +got):\n%s", path, diff))
		}
		if len(tagged) > 0 {
			complaints = append(complaints, fmt.Sprintf("%s: these fields have the tag effect:\"none\", but somebody reads them: %q", path, tagged))
		}
	}
	return complaints, nil
}

// wrongTable compares a table with the fields that nobody reads, apart from exceptions. It refuses exceptions that are read.
func wrongTable(kind string, table []ineffective.Field, exceptions map[string]string, unread []string) (complaints []string) {
	for path := range exceptions {
		i := slices.Index(unread, path)
		if i < 0 {
			complaints = append(complaints, fmt.Sprintf("%s: %s is read: remove the exception", kind, path))
			continue
		}
		unread = slices.Delete(unread, i, i+1)
	}
	slices.Sort(unread)
	if diff := cmp.Diff(unread, paths(table), cmpopts.EquateEmpty()); diff != "" {
		complaints = append(complaints, fmt.Sprintf("%s: %s is not what the code reads: change the table, and run the tests of hack/fields with -rewrite (-code +table):\n%s", kind, tablesOf, diff))
	}
	return complaints
}

func paths(table []ineffective.Field) []string {
	var all []string
	for _, field := range table {
		all = append(all, field.Path)
	}
	return all
}
