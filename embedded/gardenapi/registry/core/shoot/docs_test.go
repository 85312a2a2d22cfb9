package shoot

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOutdatedFieldsAreDocumented compares docs/api.md with the list that warnings are made of.
func TestOutdatedFieldsAreDocumented(t *testing.T) {
	var old []string
	for _, field := range outdated {
		old = append(old, field.path)
	}
	if diff := cmp.Diff(old, documented(t, "outdated")); diff != "" {
		t.Errorf("outdated fields (-code +docs/api.md):\n%s", diff)
	}
}

// documented returns the paths in a list of docs/api.md.
func documented(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile("../../../../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "<!-- "+name+" -->\n")
	list, _, _ = strings.Cut(list, "<!-- end -->")
	if !found {
		t.Fatalf("there is no list %q", name)
	}
	var paths []string
	for line := range strings.Lines(list) {
		paths = append(paths, strings.Split(line, "`")[1])
	}
	return paths
}
