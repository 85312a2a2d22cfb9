package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the root of the repository as seen from this package.
const root = "../.."

// rooms are the top-level directories whose paths the pages name.
var rooms = []string{"appliance", "cmd", "controllers", "docs", "e2e", "embedded", "examples", "hack", "local", "providers"}

func TestPagesNameWhatExists(t *testing.T) {
	declared, err := Declared(root)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := Pages(root)
	if err != nil {
		t.Fatal(err)
	}
	architecture := filepath.Join(root, "docs", "architecture")
	pages = slices.DeleteFunc(pages, func(page string) bool { return !strings.HasPrefix(page, architecture) })
	if len(pages) < 5 {
		t.Fatalf("pages about the architecture: %q", pages)
	}
	for _, page := range pages {
		for _, mistake := range mistakes(t, page, declared) {
			t.Errorf("%s names %s, which does not exist", page, mistake)
		}
	}
}

func mistakes(t *testing.T, page string, declared map[string]bool) []string {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var wrong []string
	for _, span := range Spans(string(content)) {
		if name, ok := Identifier(span); ok && !declared[name] {
			wrong = append(wrong, span)
		}
		for _, path := range Paths(span, rooms) {
			if !exists(root, path) {
				wrong = append(wrong, path)
			}
		}
	}
	for _, target := range Links(string(content)) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(page), target)); err != nil {
			wrong = append(wrong, target)
		}
	}
	return wrong
}

func TestWrongNamesAreFound(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	text := "`embedded/gone` `embedded/{etcd,nothing}` `embedded/apis/<group>/v9` `image.Gone` `pod.Spec.Gone` [a](gone.md)\n" +
		"`embedded/etcd` `embedded/apis/<group>/v1beta1` `image.Name` `make up` `kube-system/x`\n```\n`embedded/fenced`\n```\n"
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{"embedded/gone", "embedded/nothing", "embedded/apis/*/v9", "image.Gone", "pod.Spec.Gone", "gone.md"}
	if got := mistakes(t, page, map[string]bool{"image.Name": true}); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestPages(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"README.md", "docs/a.md", "docs/cli/gone.md", "docs/b/cli/kept.md", "e2e/testdata/gone.md", ".git/gone.md", "docs/a.go"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pages, err := Pages(dir)
	want := []string{filepath.Join(dir, "README.md"), filepath.Join(dir, "docs/a.md"), filepath.Join(dir, "docs/b/cli/kept.md")}
	if err != nil || !slices.Equal(pages, want) {
		t.Errorf("pages %q, %v; want %q", pages, err, want)
	}
}
