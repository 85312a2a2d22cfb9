package backup

import (
	"testing"

	"github.com/gardener-up/gardener-up/providers/contract"
)

func TestNamespaceOf(t *testing.T) {
	for entry, want := range map[string]string{
		"shoot--local--test--4711-aa":        "shoot--local--test",
		"source-shoot--local--test--4711-aa": "shoot--local--test",
		"shoot--p--a-b--1-2-3":               "shoot--p--a-b",
	} {
		if got := namespaceOf(entry); got != want {
			t.Errorf("namespace of %s is %q, want %q", entry, got, want)
		}
	}
}

func TestPathStaysInside(t *testing.T) {
	store := &Store{Dir: "/backups"}
	if got, err := store.path("bucket", "entry"); err != nil || got != "/backups/bucket/entry" {
		t.Errorf("path is %q, %v", got, err)
	}
	for _, name := range []string{"", ".", "..", "a/b", `a\b`} {
		if got, err := store.path("bucket", name); !contract.IsPermanent(err) {
			t.Errorf("name %q gives path %q, %v; want a permanent error", name, got, err)
		}
	}
}
