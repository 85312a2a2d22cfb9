// Package docs checks the pages about the architecture: what they name must exist in the repository.
package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	codeSpan    = regexp.MustCompile("`([^`\n]+)`")
	placeholder = regexp.MustCompile(`<[^>]+>`)
	alternative = regexp.MustCompile(`\{([^{}]*)\}`)
	identifier  = regexp.MustCompile(`^(?:[a-z][a-z0-9]*\.)?(?:[A-Z][A-Za-z]*\.)?[A-Z][A-Za-z]*$`)
	// link is the target of a Markdown link to a file of the repository.
	link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
)

// Spans returns the code spans of a Markdown page. Fenced blocks are not spans.
func Spans(page string) []string {
	var spans []string
	fenced := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		} else if !fenced {
			for _, match := range codeSpan.FindAllStringSubmatch(line, -1) {
				spans = append(spans, match[1])
			}
		}
	}
	return spans
}

// Links returns the relative link targets of a Markdown page, without anchors.
func Links(page string) []string {
	var targets []string
	for _, match := range link.FindAllStringSubmatch(page, -1) {
		targets = append(targets, match[1])
	}
	return targets
}

// Paths returns the repository paths that a code span names: a span whose first element is one of the rooms.
// Braces stand for each alternative, and angle brackets become the wildcard of path.Match.
func Paths(span string, rooms []string) []string {
	room, _, _ := strings.Cut(span, "/")
	if strings.ContainsAny(span, " \t=") || !slices.Contains(rooms, room) {
		return nil
	}
	return expand(placeholder.ReplaceAllString(strings.TrimSuffix(span, "/"), "*"))
}

func expand(pattern string) []string {
	at := alternative.FindStringSubmatchIndex(pattern)
	if at == nil {
		return []string{pattern}
	}
	var all []string
	for _, choice := range strings.Split(pattern[at[2]:at[3]], ",") {
		all = append(all, expand(pattern[:at[0]]+choice+pattern[at[1]:])...)
	}
	return all
}

// Identifier returns the last two elements of a code span that is a qualified Go identifier: `package.Name` or `Type.Member`.
func Identifier(span string) (string, bool) {
	if !identifier.MatchString(span) || !strings.Contains(span, ".") {
		return "", false
	}
	elements := strings.Split(span, ".")
	return strings.Join(elements[len(elements)-2:], "."), true
}

// Declared returns every `package.Name` and `Type.Member` that the Go files below root declare.
func Declared(root string) (map[string]bool, error) {
	declared := map[string]bool{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			declare(declared, file.Name.Name, decl)
		}
		return nil
	})
	return declared, err
}

func declare(declared map[string]bool, pkg string, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			declared[pkg+"."+d.Name.Name] = true
		} else {
			declared[receiver(d.Recv.List[0].Type)+"."+d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				declared[pkg+"."+s.Name.Name] = true
				members(declared, s)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					declared[pkg+"."+name.Name] = true
				}
			}
		}
	}
}

func members(declared map[string]bool, spec *ast.TypeSpec) {
	var fields *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		return
	}
	for _, field := range fields.List {
		for _, name := range field.Names {
			declared[spec.Name.Name+"."+name.Name] = true
		}
	}
}

func receiver(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// exists reports whether a pattern of Paths matches anything below root.
func exists(root, pattern string) bool {
	matches, err := fs.Glob(os.DirFS(root), path.Clean(pattern))
	return err == nil && len(matches) > 0
}
