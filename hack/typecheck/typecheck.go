// Package typecheck reads the packages of this module for the guards beside it: as built for Linux, without tests, and with the types of
// whatever they import. Only guards use it.
package typecheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Package is one package of this module.
type Package struct {
	Set   *token.FileSet
	Files []*ast.File
	Types *types.Package
	Uses  map[*ast.Ident]types.Object
}

// Read type-checks the files in dir. The importer knows what they import; see Imports.
func Read(dir string, imports types.Importer) (Package, error) {
	p := Package{Set: token.NewFileSet(), Uses: map[*ast.Ident]types.Object{}}
	target := build.Default
	target.GOOS, target.GOARCH = "linux", "amd64"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Package{}, err
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if built, err := target.MatchFile(dir, name); err != nil {
			return Package{}, err
		} else if !built {
			continue
		}
		file, err := parser.ParseFile(p.Set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return Package{}, err
		}
		p.Files = append(p.Files, file)
	}
	config := types.Config{Importer: imports}
	p.Types, err = config.Check(filepath.ToSlash(dir), p.Set, p.Files, &types.Info{Uses: p.Uses})
	return p, err
}

// Imports returns an importer of whatever the packages of the module in dir import. The patterns name the packages as for the go command,
// which builds what they import.
func Imports(dir string, patterns ...string) (types.Importer, error) {
	if err := visit(dir); err != nil {
		return nil, err
	}
	cmd := exec.Command("go", append([]string{"list", "-trimpath", "-export", "-deps", "-json=ImportPath,Export"}, patterns...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read output of go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }), nil
}

// visit reads all directories of the module. The go command caches the result of a test until a file changes that the test itself has read.
// It does not notice files that go list reads.
func visit(dir string) error {
	return filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "bin") {
			return filepath.SkipDir
		}
		return err
	})
}
