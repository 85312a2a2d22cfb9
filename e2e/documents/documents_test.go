// Package documents does what the documents say: it runs their commands as a reader would and compares what they print.
//
//	documents_test.go  the order of the documents
//	reference_test.go  the order of the examples in the reference of the command line
//	reader_test.go     the reader: a home, a shell, and how commands that do not end are run
//	marks_test.go      no command in any document is left out
package documents

import (
	"path/filepath"
	"testing"
)

// TestDocuments is one landscape, from the first command of the README to the last one.
func TestDocuments(t *testing.T) {
	r := newReader(t)
	tour := steps(t, "README.md")
	end := indexOf(t, tour, "gardener down")
	r.follow("the README's tour", tour[:end])
	// The tour said where the kubeconfig of the garden is, and all pages expect kubectl to use it.
	r.env = append(r.env, "KUBECONFIG="+filepath.Join(r.home.StateDir, "gardener", "local", "kubeconfigs", "garden.yaml"))
	for _, page := range pages {
		r.follow(page, steps(t, page))
	}
	r.prepare()
	for _, act := range acts {
		r.act(act)
	}
	r.follow(migration, steps(t, migration))
	for _, act := range laterActs {
		r.act(act)
	}
	r.follow(deletion, steps(t, deletion))
	r.follow("the README's end", tour[end:])
	r.act(lastAct)
}
