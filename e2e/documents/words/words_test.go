package words

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	for _, tc := range []struct {
		sentence, run string
		want          bool
	}{
		{"gardener down", "gardener down --purge --yes", true},
		{"gardener down --purge", "gardener down --yes --purge", true},
		{"hack/tool.sh up", "hack/tool.sh up --fast", true},
		{"hack/tool.sh up", "other hack/tool.sh up", false},
		{"gardener down --force", "gardener down --purge", false},
		{"gardener up", "gardener shoot create up", false},
		{"gardener shoot retry NAME", "gardener shoot retry sun", true},
		{"gardener shoot retry NAME", "gardener shoot retry --all", false},
		{"gardener shoot migrate NAME --to SEED", "gardener shoot migrate sun --to two", true},
		{"gardener doctor --provider kind", "bin/gardener doctor --provider=kind", true},
		{"gardener doctor --provider kind", "gardener doctor --provider embedded", false},
		{"gardener status -o json", "gardener status --output json", true},
		{"gardener kubectl apply -f FILE", "kubectl apply -f x.yaml", true},
		{"kubectl get shoots", "KUBECONFIG=x gardener kubectl get shoots -A", true},
		{"gardener convert -f FILE", "kubectl get shoots -o yaml | gardener convert -f -", false},
		{"gardener convert -f FILE", "gardener convert -f old.yaml | gardener kubectl apply -f -", true},
		{"gardener kubeconfig seed", "gardener kubectl --kubeconfig <(gardener kubeconfig seed) get pods", true},
	} {
		found := slices.ContainsFunc(Split(tc.run), func(run []string) bool { return Names(Split(tc.sentence)[0], run) })
		if found != tc.want {
			t.Errorf("APP-36 %q for %q: %v", tc.run, tc.sentence, found)
		}
	}
}

func TestCalls(t *testing.T) {
	dir := t.TempDir()
	source := `package x
func _() {
	l.Gardener("seed", "add", name, "--kubeconfig="+file)
	t.Run("up", nil)
	l.Kubectl("file", "-n", "x", "get", "pods")
}`
	if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	tagged := "//go:build nodes\n\n" + source
	if err := os.WriteFile(filepath.Join(dir, "tagged.go"), []byte(tagged), 0o600); err != nil {
		t.Fatal(err)
	}
	calls, err := Calls(dir) // without those of the file with a tag, which CI does not build
	if err != nil || len(calls) != 2 {
		t.Fatalf("calls %q, %v", calls, err)
	}
	if !Names(Split("gardener seed add NAME --kubeconfig FILE")[0], calls[0]) || Names(Split("gardener seed add --zone NAME")[0], calls[0]) {
		t.Errorf("the call is %q", calls[0])
	}
	if !slices.Equal(calls[1], []string{"kubectl", "--namespace", "x", "get", "pods"}) {
		t.Errorf("the call is %q", calls[1])
	}
}
