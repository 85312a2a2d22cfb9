package app

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener-up/gardener-up/appliance/daemon"
)

func TestFailuresNameACure(t *testing.T) {
	const (
		again      = `try again; "gardener status" shows whether all parts of the landscape serve`
		change     = "the API server refuses it: change what the message names, then try again"
		look       = `the landscape may be starting, stopping or busy: see "gardener status", then try again`
		namespaces = "run as root, or allow them to all users, as root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 user.max_user_namespaces=15000"
		ofFiles    = "look at the name and the rights of the file, and at the room on its disk"
	)
	errBoom, shoots := errors.New("boom"), schema.GroupResource{Resource: "shoots"}
	full := &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusInsufficientStorage, Message: "full"}}
	expired := apierrors.FromObject(&metav1.Status{Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "too old"})
	noServer := &url.Error{Op: "Get", URL: "https://garden", Err: &fs.PathError{Op: "dial", Path: "socket", Err: fs.ErrNotExist}}
	noRoom := &fs.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC}
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"any failure":                            {errBoom, lastResort},
		"one with an exit code and no hint":      {&exitError{code: codeFailure, err: errBoom}, lastResort},
		"one whose verb knows the cure":          {cured(errBoom, "do x"), "do x"},
		"a hint is kept":                         {cured(fmt.Errorf("more: %w", &exitError{code: codeFailure, err: errBoom, hint: "do x"}), "do y"), "do x"},
		"a refusal":                              {fmt.Errorf("change: %w", apierrors.NewForbidden(shoots, "sun", errBoom)), change},
		"a refusal with an exit code":            {&exitError{code: codeFailure, err: apierrors.NewBadRequest("no")}, change},
		"a refusal whose verb has a remark":      {cured(apierrors.NewBadRequest("no"), "do x"), change},
		"a full storage":                         {full, change},
		"a conflict":                             {apierrors.NewConflict(shoots, "sun", errBoom), again},
		"a server with too many requests":        {apierrors.NewTooManyRequestsError("later"), again},
		"a server that is not ready":             {apierrors.NewServiceUnavailable("later"), again},
		"a watch that is too old":                {fmt.Errorf("watch: %w", expired), again},
		"something that is missing":              {apierrors.NewNotFound(shoots, "sun"), lastResort},
		"something that only the verb can name":  {cured(apierrors.NewNotFound(shoots, "sun"), "do x"), "do x"},
		"a server that cannot be reached":        {fmt.Errorf("ask: %w", noServer), look},
		"a server that does not answer in time":  {fmt.Errorf("ask: %w", context.DeadlineExceeded), look},
		"a full disk":                            {fmt.Errorf("save: %w", noRoom), ofFiles},
		"a system without user namespaces":       {fmt.Errorf("start: %w: %w", daemon.ErrNamespaces, &fs.PathError{Op: "fork/exec", Path: "f", Err: syscall.EPERM}), namespaces},
		"a file for which the verb has a remark": {cured(noRoom, "do x"), ofFiles},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			var out strings.Builder
			if code := report(tc.err, newDisplay(), &out); code != codeFailure {
				t.Errorf("exit code %d", code)
			}
			if _, hint, _ := strings.Cut(out.String(), "\nhint:  "); hint != tc.want+"\n" {
				t.Errorf("printed %q, want the hint %q", out.String(), tc.want)
			}
		})
	}
	t.Run("APP-35 no error needs no cure", func(t *testing.T) {
		if err := cured(nil, "do x"); err != nil {
			t.Errorf("error %v", err)
		}
	})
}

func TestServersGiveNoHints(t *testing.T) {
	for args, want := range map[string]bool{"component etcd": true, "daemon": true, "up": false, "shoot list": false, "": false} {
		cmd, _, err := newRoot(newDisplay()).Find(strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		if got := isServer(cmd); got != want {
			t.Errorf("APP-35 %q is a server: %t", args, got)
		}
	}
	var out strings.Builder
	if report(errors.New("boom"), &display{server: true}, &out); out.String() != "error: boom (GRD-100)\n" {
		t.Errorf("APP-35 printed %q", out.String())
	}
}

// TestErrorsNameACure reads this package: each error with an exit code has a hint. Only failures may be without one, because report
// gives them one.
func TestErrorsNameACure(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	positions, seen := token.NewFileSet(), 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(positions, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			made, hint := errorIn(n)
			if made {
				seen++
			}
			if made && !hint {
				t.Errorf("APP-35 %s: the error has no hint", positions.Position(n.Pos()))
			}
			return true
		})
	}
	if seen < 60 {
		t.Errorf("APP-35 only %d errors were found", seen)
	}
}

// errorIn reports whether a node makes an error with an exit code, and whether that has a hint or may be without.
func errorIn(n ast.Node) (made, hint bool) {
	switch n := n.(type) {
	case *ast.CallExpr:
		if !isNamed(n.Fun, "usageError") {
			return false, false
		}
		text, literal := n.Args[1].(*ast.BasicLit)
		return true, !literal || text.Value != `""`
	case *ast.CompositeLit:
		if !isNamed(n.Type, "exitError") {
			return false, false
		}
		for _, field := range n.Elts {
			pair, ok := field.(*ast.KeyValueExpr)
			hint = hint || ok && (isNamed(pair.Key, "hint") || isNamed(pair.Key, "code") && isNamed(pair.Value, "codeFailure"))
		}
		return true, hint
	}
	return false, false
}

func isNamed(expression ast.Expr, name string) bool {
	identifier, ok := expression.(*ast.Ident)
	return ok && identifier.Name == name
}
