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

// largeSecret hands in a Secret that is larger than the limit of a landscape.
func largeSecret(f *fixture) {
	file := f.File("large", strings.Repeat("x", 120_000))
	r := f.TryKubectl(f.Garden(), "-n", project, "create", "secret", "generic", "large", "--from-file="+file)
	if r.Code == 0 || !strings.Contains(r.Stderr, "make it smaller") {
		f.t.Errorf("code %d: %s", r.Code, r.Stderr)
	}
}
