// Package typecheck reads the packages of this module for the guards beside it: as built for Linux, without tests, and with the types of
// whatever they import. Only guards use it. hack/guards hands one Module to all of them, which checks each package once.
package typecheck

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

// Package is one package of this module.
type Package struct {
	Set   *token.FileSet
	Files []*ast.File // with comments
	Types *types.Package
	Info  *types.Info // Defs, Selections and Uses
}

// Read type-checks the files in dir that are built for Linux. The importer knows what they import; see Imports.
func Read(dir string, imports types.Importer) (*Package, error) {
	target := build.Default
	target.GOOS = linux
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if built, err := target.MatchFile(dir, name); err != nil {
			return nil, err
		} else if built {
			names = append(names, name)
		}
	}
	return check(filepath.ToSlash(dir), dir, names, token.NewFileSet(), imports)
}

// check type-checks the package of this path, which consists of the named files in dir.
func check(path, dir string, names []string, set *token.FileSet, imports types.Importer) (*Package, error) {
	p := &Package{Set: set, Info: &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Uses: map[*ast.Ident]types.Object{},
	}}
	for _, name := range names {
		file, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, file)
	}
	var err error
	p.Types, err = (&types.Config{Importer: imports}).Check(path, set, p.Files, p.Info)
	return p, err
}
