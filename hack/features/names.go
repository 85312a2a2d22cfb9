package features

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// rowOfMistakes is the function of embedded/apivalidation/internal/mistakes that makes a row. mistakes.Check runs each
// row as a subtest.
const rowOfMistakes = "R"

var word = regexp.MustCompile(`\b[A-Z]+-[0-9]+\b`)

// namedBelow returns the IDs in names of tests and subtests of a file, or of all packages at and below a directory.
//
// A name is the first argument of a method Run, a string handed to a function that passes it to Run or, where names come
// from a table, a string in that table, which another function may return. Only functions that a test reaches count.
// Comments, messages and other text do not count, nor does what never runs: a test or subtest that skips itself without a
// condition, and a file that a build on Linux leaves out.
func (r reader) namedBelow(path string) (map[string]bool, error) {
	ids := map[string]bool{}
	err := filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		p, err := r.tests(filepath.Dir(path))
		if err != nil {
			return err
		}
		if p.files[path] == nil {
			return nil // it is not built
		}
		for _, name := range p.namesIn(path) {
			for _, id := range word.FindAllString(name, -1) {
				ids[id] = true
			}
		}
		return nil
	})
	return ids, err
}

// reader reads each directory once, by path. Many rows name the same ones.
type reader map[string]*tests

func (r reader) tests(dir string) (*tests, error) {
	if r[dir] == nil {
		p, err := readTests(dir)
		if err != nil {
			return nil, err
		}
		r[dir] = p
	}
	return r[dir], nil
}

// target is the system that tests run on, without any build tags.
var target = func() build.Context {
	c := build.Default
	c.GOOS, c.GOARCH, c.BuildTags = "linux", "amd64", nil
	return c
}()

// tests are the test files of a directory that are built.
type tests struct {
	files map[string]*ast.File // by path
	// reached are the functions and the package's variables that a test uses, directly or not.
	reached map[string]bool
	// runners are the functions that pass a name they are given to Run.
	runners map[string]bool
	// tableRunners are the functions that pass names from a table to Run.
	tableRunners map[string]bool
	// tables is set if a function passes names from a table to Run.
	tables bool
}

func readTests(dir string) (*tests, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	p := &tests{files: map[string]*ast.File{}, reached: map[string]bool{}, runners: map[string]bool{}, tableRunners: map[string]bool{}}
	for _, entry := range entries {
		if path := filepath.Join(dir, entry.Name()); strings.HasSuffix(path, "_test.go") {
			if built, err := target.MatchFile(dir, entry.Name()); err != nil {
				return nil, err
			} else if !built {
				continue
			}
			if p.files[path], err = parser.ParseFile(token.NewFileSet(), path, nil, 0); err != nil {
				return nil, err
			}
		}
	}
	p.reach()
	for _, file := range p.files {
		declarations(file, func(name string, declaration ast.Node) {
			p.runners[name] = p.runners[name] || runsParameter(declaration)
			p.tableRunners[name] = p.tableRunners[name] || runsTable(declaration)
			p.tables = p.tables || p.reached[name] && runsTable(declaration)
		})
	}
	return p, nil
}

// skips reports whether a function skips its test without a condition.
func skips(body *ast.BlockStmt) bool {
	if body == nil {
		return false
	}
	return slices.ContainsFunc(body.List, func(statement ast.Stmt) bool {
		expression, ok := statement.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := expression.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		return ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, method.Sel.Name)
	})
}

// declarations visits functions and variables of a file by name, apart from functions that always skip.
func declarations(file *ast.File, visit func(name string, declaration ast.Node)) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !skips(d.Body) {
				visit(d.Name.Name, d)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if values, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range values.Names {
						visit(name.Name, values)
					}
				}
			}
		}
	}
}

// reach goes from tests to everything they use. Functions and methods of one name count as one.
func (p *tests) reach() {
	uses := map[string]map[string]bool{}
	for _, file := range p.files {
		declarations(file, func(name string, declaration ast.Node) {
			if uses[name] == nil {
				uses[name] = map[string]bool{}
			}
			ast.Inspect(declaration, func(n ast.Node) bool {
				if used, ok := n.(*ast.Ident); ok {
					uses[name][used.Name] = true
				}
				return true
			})
		})
	}
	var follow func(string)
	follow = func(name string) {
		if p.reached[name] || uses[name] == nil {
			return
		}
		p.reached[name] = true
		for used := range uses[name] {
			follow(used)
		}
	}
	for name := range uses {
		if strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") {
			follow(name)
		}
	}
}

// namesIn returns the names of tests in a file. A table of the package may be in another file than the test.
func (p *tests) namesIn(path string) (names []string) {
	declarations(p.files[path], func(name string, declaration ast.Node) {
		if !p.reached[name] {
			return
		}
		tables := p.tables && returnsValue(declaration) || runsTable(declaration) || p.callsRunner(declaration)
		ast.Inspect(declaration, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if isRun(n) {
					names = append(names, literals(n.Args[0])...)
				} else if called, ok := n.Fun.(*ast.Ident); ok && (p.runners[called.Name] || called.Name == rowOfMistakes) {
					for _, argument := range n.Args {
						if _, ok := argument.(*ast.BasicLit); ok {
							names = append(names, literals(argument)...)
						}
					}
				}
			case *ast.CompositeLit:
				if tables {
					names = append(names, firsts(n)...)
				}
			}
			return true
		})
	})
	return names
}

// callsRunner reports whether a function hands a table to one that runs it.
func (p *tests) callsRunner(function ast.Node) bool {
	found := false
	ast.Inspect(function, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			called, ok := call.Fun.(*ast.Ident)
			found = found || ok && p.tableRunners[called.Name]
		}
		return !found
	})
	return found
}

// isRun reports whether a call is one of a method Run with a name and something to run that does not always skip.
func isRun(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != "Run" || len(call.Args) != 2 {
		return false
	}
	function, ok := call.Args[1].(*ast.FuncLit)
	return !ok || !skips(function.Body)
}

// returnsValue reports whether a declaration is a variable or a function with results, either of which can be a table.
func returnsValue(declaration ast.Node) bool {
	function, ok := declaration.(*ast.FuncDecl)
	return !ok || function.Type.Results != nil
}

// runsParameter reports whether a function passes one of its parameters to Run.
func runsParameter(declaration ast.Node) bool {
	function, ok := declaration.(*ast.FuncDecl)
	if !ok {
		return false
	}
	parameters := map[string]bool{}
	for _, field := range function.Type.Params.List {
		for _, name := range field.Names {
			parameters[name.Name] = true
		}
	}
	found := false
	ast.Inspect(function, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && isRun(call) {
			name, ok := call.Args[0].(*ast.Ident)
			found = found || ok && parameters[name.Name]
		}
		return !found
	})
	return found
}

// runsTable reports whether a function passes a name that is no literal to Run, as for each row of a table.
func runsTable(function ast.Node) bool {
	found := false
	ast.Inspect(function, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && isRun(call) {
			_, literal := call.Args[0].(*ast.BasicLit)
			found = found || !literal
		}
		return !found
	})
	return found
}

// firsts returns the strings that can be names in a table: its keys, fields called name, and the first field of a row.
func firsts(table *ast.CompositeLit) (found []string) {
	for i, element := range table.Elts {
		switch element := element.(type) {
		case *ast.KeyValueExpr:
			if field, ok := element.Key.(*ast.Ident); !ok {
				found = append(found, literals(element.Key)...)
			} else if field.Name == "name" {
				found = append(found, literals(element.Value)...)
			}
		case *ast.BasicLit, *ast.BinaryExpr:
			if i == 0 {
				found = append(found, literals(element)...)
			}
		}
	}
	return found
}

// literals returns the strings of a name, which may be put together from several.
func literals(name ast.Expr) (found []string) {
	ast.Inspect(name, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			found = append(found, literal.Value)
		}
		return true
	})
	return found
}
