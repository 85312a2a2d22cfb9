package words

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
)

// runners are the methods and functions of e2e/framework that run the binary or another program, and how many of their arguments come before the
// words of the command.
var runners = map[string]struct {
	program string
	skip    int
}{
	"Script":   {"", 1},
	"Gardener": {"gardener", 0}, "Run": {"gardener", 0}, "Kubectl": {"kubectl", 1}, "TryKubectl": {"kubectl", 1},
}

// Calls returns the commands that the Go files below a directory run by the framework of end-to-end tests.
func Calls(dir string) ([][]string, error) {
	var all [][]string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.Name() == "engines" {
			return fs.SkipDir // no part of CI
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		// CI runs tests without tags.
		if built, err := build.Default.MatchFile(filepath.Dir(name), filepath.Base(name)); err != nil || !built {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				if words := called(call); words != nil {
					all = append(all, words)
				}
			}
			return true
		})
		return nil
	})
	return all, err
}

// called are the words of the command that a call runs; nil if it runs none.
func called(call *ast.CallExpr) []string {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	runner, ok := runners[method.Sel.Name]
	if of, isName := method.X.(*ast.Ident); !ok || isName && (of.Name == "t" || of.Name == "b") || len(call.Args) <= runner.skip {
		return nil
	}
	words := strings.Fields(runner.program)
	for _, arg := range call.Args[runner.skip:] {
		words = append(words, text(arg))
	}
	return normal(words)
}

// text is the value of a literal, or what stands for anything.
func text(arg ast.Expr) string {
	switch arg := arg.(type) {
	case *ast.BasicLit:
		if value, err := strconv.Unquote(arg.Value); err == nil {
			return value
		}
	case *ast.BinaryExpr: // "--to=" + dir
		if arg.Op == token.ADD {
			return text(arg.X) + unknown
		}
	}
	return unknown
}
