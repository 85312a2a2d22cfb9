package typecheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Path is that of this module.
const Path = "github.com/gardener-up/gardener-up"

const linux = "linux"

// Listed is a package as the go command describes it.
type Listed struct {
	ImportPath, Dir, Export                     string
	GoFiles, Imports, TestImports, XTestImports []string
}

// Short is the path of the package from the root of this module. It is empty for the root, and for packages of other modules.
func (l Listed) Short() string {
	short, _ := strings.CutPrefix(l.ImportPath, Path+"/")
	if short == l.ImportPath {
		return ""
	}
	return short
}

// Ours reports whether the package belongs to this module.
func (l Listed) Ours() bool { return l.ImportPath == Path || l.Short() != "" }

// Module is this module and whatever it imports. It is not safe for concurrent use.
type Module struct {
	All      []Listed // those of other modules, too; each package comes after those that it imports
	Importer types.Importer

	set     *token.FileSet // of our sources
	checked map[string]*Package
}

// Load lists the packages of the module in dir. The go command builds what is not in its cache yet.
func Load(dir string) (*Module, error) {
	all, err := list(dir, "./...")
	if err != nil {
		return nil, err
	}
	return &Module{All: all, Importer: importerOf(all), set: token.NewFileSet(), checked: map[string]*Package{}}, nil
}

// Below are our packages at and below these rooms, which are paths from the root of the module.
func (m *Module) Below(rooms ...string) (found []Listed) {
	for _, p := range m.All {
		if slices.ContainsFunc(rooms, func(room string) bool { return p.Short() == room || strings.HasPrefix(p.Short(), room+"/") }) {
			found = append(found, p)
		}
	}
	return found
}

// Read type-checks a package of this module, once for all that ask.
func (m *Module) Read(p Listed) (*Package, error) {
	if m.checked[p.ImportPath] == nil {
		read, err := check(p.ImportPath, p.Dir, p.GoFiles, m.set, m.Importer)
		if err != nil {
			return nil, err
		}
		m.checked[p.ImportPath] = read
	}
	return m.checked[p.ImportPath], nil
}

// Imports returns an importer of the packages that the patterns name as for the go command, and of what they import.
func Imports(dir string, patterns ...string) (types.Importer, error) {
	all, err := list(dir, patterns...)
	if err != nil {
		return nil, err
	}
	return importerOf(all), nil
}

func list(dir string, patterns ...string) ([]Listed, error) {
	if err := visit(dir); err != nil {
		return nil, err
	}
	cmd := exec.Command("go", append([]string{
		"list", "-trimpath", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Imports,TestImports,XTestImports",
	}, patterns...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS="+linux)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []Listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p Listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("read output of go list: %w", err)
		}
		all = append(all, p)
	}
}

// importerOf reads the types that the compiler has exported.
func importerOf(all []Listed) types.Importer {
	exports := map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
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
