package trust

import (
	"strings"
)

// kubeconfigInGarden hands in a kubeconfig that would run a program wherever it is used.
func kubeconfigInGarden(f *fixture) {
	const program = "apiVersion: v1\nkind: Config\nusers: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: sh}}}]\n"
	file := f.File("program.yaml", program)
	r := f.TryKubectl(f.Garden(), "-n", project, "create", "secret", "generic", "program", "--from-file=kubeconfig="+file)
	if r.Code == 0 || !strings.Contains(r.Stderr, "runs a program") {
		f.t.Errorf("code %d: %s", r.Code, r.Stderr)
	}
}

// namespaceOfProject deletes the namespace of a project with a shoot.
func namespaceOfProject(f *fixture) {
	r := f.TryKubectl(f.Garden(), "delete", "namespace", project, "--wait=false")
	if r.Code == 0 || !strings.Contains(r.Stderr, "delete the project instead") {
		f.t.Errorf("code %d: %s", r.Code, r.Stderr)
	}
}

// largeObjects hands in a Secret and a ConfigMap that are larger than the limit of a landscape.
func largeObjects(f *fixture) {
	file := f.File("large", strings.Repeat("x", 120_000))
	for _, kind := range [][]string{{"secret", "generic"}, {"configmap"}} {
		r := f.TryKubectl(f.Garden(), append(append([]string{"-n", project, "create"}, kind...), "large", "--from-file="+file)...)
		if r.Code == 0 || !strings.Contains(r.Stderr, "make it smaller") {
			f.t.Errorf("%s: code %d: %s", kind[0], r.Code, r.Stderr)
		}
	}
}

// hugeRequests sends more than an API server reads.
func hugeRequests(f *fixture) {
	file := f.File("huge.json", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"huge"},"data":{"a":"`+strings.Repeat("x", 3<<20)+`"}}`)
	for where, kubeconfig := range map[string]string{"garden": f.Garden(), "seed": f.Seed(), "shoot": f.shoot} {
		r := f.TryKubectl(kubeconfig, "create", "--raw", "/api/v1/namespaces/default/configmaps", "-f", file)
		if r.Code == 0 || !strings.Contains(r.Stderr, "Request entity too large: limit is 3145728") {
			f.t.Errorf("%s: code %d: %s", where, r.Code, r.Stderr)
		}
	}
}
