package imports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Package is a package of this module as the go command describes it.
type Package struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	Deps                               []string // all that it links, without the imports of its tests
}

const module = "github.com/gardener-up/gardener-up"

// short writes packages of this module as "./room/package" and leaves other paths unchanged.
func short(path string) string {
	if below, ours := strings.CutPrefix(path, module); ours && (below == "" || below[0] == '/') {
		return "." + below
	}
	return path
}

// imports of the package, including those of its tests.
func (p Package) imports() []Import {
	var all []Import
	for _, to := range p.Imports {
		all = append(all, Import{From: short(p.ImportPath), To: short(to)})
	}
	for _, to := range slices.Concat(p.TestImports, p.XTestImports) {
		all = append(all, Import{From: short(p.ImportPath), To: short(to), Test: true})
	}
	return all
}

// list returns the packages of the module in dir.
func list(dir string) ([]Package, error) {
	if err := visit(dir); err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports,Deps", "./...")
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	var all []Package
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p Package
		if err := decoder.Decode(&p); err != nil {
			return nil, fmt.Errorf("read output of go list: %w", err)
		}
		all = append(all, p)
	}
	return all, nil
}

// visit reads all directories of the module. The go command caches the result of a test until a file changes that the
// test itself has read. It does not notice files that go list reads.
func visit(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "bin") {
			return filepath.SkipDir
		}
		return err
	})
}
