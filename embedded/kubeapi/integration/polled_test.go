package integration

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// aPolicy labels ConfigMaps by an apply configuration, for which its plugin needs the schema of ConfigMaps.
const aPolicy = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: label}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE]}
  matchConditions: [{name: mine, expression: object.metadata.name == "labelled"}]
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: {"by": "policy"}}}'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: label}
spec: {policyName: label}
`

// noted counts lines about documents of version 3 in the log of the server.
func noted(t *testing.T, text string) int {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(garden.Dir, "kube-apiserver.log"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for line := range bytes.Lines(log) {
		if bytes.Contains(line, []byte(text)) && bytes.Contains(line, []byte("v3")) {
			count++
		}
	}
	return count
}

// kept is how many documents of version 3 the server keeps.
func kept(t *testing.T) int {
	t.Helper()
	return noted(t, "Made OpenAPI documents") - noted(t, "Dropped OpenAPI documents")
}

func TestPluginsPollWithoutDocuments(t *testing.T) {
	asPlugin := http.Header{"User-Agent": {"gardener-apiserver"}}
	const digested, plain = "/openapi/v3/api/v1?hash=", `"serverRelativeURL":"/openapi/v3/api/v1"`
	if documents(t); noted(t, "Made OpenAPI documents") == 0 {
		t.Fatal("the log does not tell when documents are made")
	}
	eventually(t, "the documents are dropped", func() bool { return kept(t) == 0 })
	if _, body := get(t, "/openapi/v3", asPlugin); !bytes.Contains(body, []byte(plain)) || !bytes.Contains(body, []byte(`"/openapi/v3/apis/test.example.org/v1"`)) {
		t.Errorf("without policies the list is %s", body)
	}
	if kept(t) != 0 {
		t.Error("documents were made for a plugin")
	}
	if _, body := get(t, "/openapi/v3", nil); !bytes.Contains(body, []byte(digested)) {
		t.Errorf("others get the list %s", body)
	}
	t.Run("a policy finds the schemas that it needs from the first moment on", func(t *testing.T) {
		if output, err := kubectl(t, aPolicy, "create", "-f", "-"); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		eventually(t, "the policy acts", func() bool {
			output, err := kubectl(t, "", "create", "configmap", "labelled", "--dry-run=server", "-o", "jsonpath={.metadata.labels.by}")
			if err != nil {
				t.Fatalf("a request is refused: %v\n%s", err, output)
			}
			return strings.Contains(output, "policy")
		})
		eventually(t, "the plugin gets the addresses with digests", func() bool {
			_, body := get(t, "/openapi/v3", asPlugin)
			return bytes.Contains(body, []byte(digested))
		})
		if output, err := kubectl(t, aPolicy, "delete", "-f", "-"); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
	})
	eventually(t, "without policies nothing is kept", func() bool {
		_, body := get(t, "/openapi/v3", asPlugin)
		return bytes.Contains(body, []byte(plain)) && kept(t) == 0
	})
}
