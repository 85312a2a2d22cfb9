package app

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/zapr"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func TestQuiet(t *testing.T) {
	for name, tc := range map[string]struct {
		logger, message string
		err             error
		info, shown     bool
	}{
		"a finding of ours shows":                        {logger: "garden-manager", message: "Reconciler error", err: errors.New("no"), shown: true},
		"that a part is ready shows":                     {message: "Part is ready", info: true, shown: true},
		"that a controller starts does not":              {logger: "garden-manager", message: "Starting workers", info: true},
		"an error of Kubernetes shows":                   {logger: "seed-controllers.gc", message: "Failed", err: errors.New("no"), shown: true},
		"an answer that nobody reads does not":           {logger: "kubernetes", message: "Unhandled Error", err: errors.New("unable to write: http2: stream closed")},
		"another unhandled error shows":                  {logger: "kubernetes", message: "Unhandled Error", err: errors.New("no"), shown: true},
		"a pod that cannot start shows":                  {logger: "node.kubelet", message: "Error syncing pod, skipping", err: errors.New("no"), shown: true},
		"a volume that is not mounted at first does not": {logger: "kubernetes", message: `Operation for "v" failed. No retries permitted until x (durationBeforeRetry 500ms). Error: no`},
		"one that is not mounted again shows":            {logger: "kubernetes", message: `Operation for "v" failed. No retries permitted until x (durationBeforeRetry 1s). Error: no`, shown: true},
		"one that does not start at the end does not":    {logger: "node.kubelet", message: "Error syncing pod, skipping", err: errors.New("x: the node is stopping")},
	} {
		t.Run(name, func(t *testing.T) {
			core, seen := observer.New(zapcore.InfoLevel)
			log := zapr.NewLogger(zap.New(quiet{core})).WithName(tc.logger).WithValues("key", "value")
			if tc.info {
				log.Info(tc.message)
			} else {
				log.Error(tc.err, tc.message)
			}
			if got := seen.Len() == 1; got != tc.shown {
				t.Errorf("shown: %t, want %t", got, tc.shown)
			}
		})
	}
}

func TestALineHasOneLogger(t *testing.T) {
	core, seen := observer.New(zapcore.InfoLevel)
	zapr.NewLogger(zap.New(quiet{core})).WithName("kubernetes").Error(errors.New("no"), "Unhandled Error", "logger", "UnhandledError", "key", "value")
	entry := seen.All()[0]
	if _, again := entry.ContextMap()["logger"]; entry.LoggerName != "kubernetes.UnhandledError" || again || entry.ContextMap()["key"] != "value" {
		t.Errorf("APP-35 the logger is %q, with %v", entry.LoggerName, entry.ContextMap())
	}
}

// errorOf logs what a row of the table is about and tells whether it shows.
func errorOf(logger, message, text string) bool {
	core, seen := observer.New(zapcore.InfoLevel)
	zapr.NewLogger(zap.New(quiet{core})).WithName(logger).Error(errors.New("x: "+text), message)
	return seen.Len() == 1
}

func TestNoErrorOfOursIsNoise(t *testing.T) {
	for _, n := range noise {
		for _, logger := range kubernetes {
			if errorOf(logger, n.message, n.err) {
				t.Errorf("%q with error %q of logger %s shows", n.message, n.err, logger)
			}
		}
		for _, logger := range []string{"", "node", "gardenlet", "seed-operators", "gardener-controller-manager", "kubernetes-of-ours"} {
			if !errorOf(logger, n.message, n.err) {
				t.Errorf("%q with error %q of logger %q does not show", n.message, n.err, logger)
			}
		}
	}
	for _, message := range starts {
		if !errorOf("gardenlet", message, "no") {
			t.Errorf("the error %q does not show", message)
		}
	}
}

// ourFunctions are the functions of this project that use the logger of klog, with the reason why none of their errors is noise.
var ourFunctions = map[string]string{
	"controllers/autoscaler/simulate/simulate.go: Suits": "a function of the library takes a logger, for an error of a toleration",
	"embedded/etcd/command.go: Command":                  "a process of its own, which drops no noise",
	"embedded/etcd/command.go: discardUnborn":            "a process of its own, which drops no noise",
	"embedded/garden/command.go: Command":                "a process of its own, which drops no noise",
	"embedded/kubeapi/command.go: newCommand":            "a process of its own, which drops no noise",
	"embedded/kubecontroller/tokens.go: newTokens":       "a controller of Kubernetes takes its logger",
	"embedded/node/clients.go: rotatingConfig":           "functions of the kubelet take its logger",
	"embedded/node/command.go: commandOptions.complete":  "a process of its own, which drops no noise",
	"embedded/node/csinode.go: registerCSINode":          "it says why it tries again, without an error that noise could match",
}

// logsByKlog are functions of libraries that write to the logger of klog, or return it.
var logsByKlog = map[string]*regexp.Regexp{
	"k8s.io/klog/v2":                       regexp.MustCompile(`^(V|Info|Warning|Error|Fatal|Exit|Background|TODO|FromContext|LoggerWith)`),
	"k8s.io/apimachinery/pkg/util/runtime": regexp.MustCompile(`^Handle`),
}

// klogIn returns the calls in a file that log by klog, by the function that makes them.
func klogIn(file *ast.File) map[string][]string {
	names := map[string]*regexp.Regexp{}
	for _, imported := range file.Imports {
		path, _ := strconv.Unquote(imported.Path.Value)
		functions := logsByKlog[path]
		if functions == nil {
			continue
		}
		name := strings.TrimSuffix(path[strings.LastIndex(strings.TrimSuffix(path, "/v2"), "/")+1:], "/v2")
		if imported.Name != nil {
			name = imported.Name.Name
		}
		names[name] = functions
	}
	calls := map[string][]string{}
	for _, declaration := range file.Decls {
		by := nameOf(declaration)
		ast.Inspect(declaration, func(n ast.Node) bool {
			if call, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := call.X.(*ast.Ident); ok && names[of.Name] != nil && names[of.Name].MatchString(call.Sel.Name) {
					calls[by] = append(calls[by], of.Name+"."+call.Sel.Name)
				}
			}
			return true
		})
	}
	return calls
}

// nameOf is the name of a function, with the type of its receiver. What is declared outside functions has the keyword as its name.
func nameOf(declaration ast.Decl) string {
	function, ok := declaration.(*ast.FuncDecl)
	if !ok {
		return declaration.(*ast.GenDecl).Tok.String()
	}
	if function.Recv == nil {
		return function.Name.Name
	}
	receiver := function.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	return types.ExprString(receiver) + "." + function.Name.Name
}

// The loggers of Kubernetes belong to its code: an error of ours that klog writes could be taken for noise.
func TestOursDoNotLogByKlog(t *testing.T) {
	root, found := os.DirFS("../../.."), map[string]bool{}
	for _, room := range []string{"appliance", "cmd", "controllers", "embedded", "local", "providers"} {
		err := fs.WalkDir(root, room, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(root, path)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for by, calls := range klogIn(file) {
				by = path + ": " + by
				found[by] = true
				if ourFunctions[by] == "" {
					t.Errorf("%s uses %s: log by the logger of the component, since noise could swallow its errors", by, strings.Join(calls, ", "))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for by := range ourFunctions {
		if !found[by] {
			t.Errorf("%s does not log by klog: remove its reason", by)
		}
	}
}

func TestLoggingByKlogIsFound(t *testing.T) {
	for text, want := range map[string]map[string][]string{
		`import utilruntime "k8s.io/apimachinery/pkg/util/runtime"; func f() { utilruntime.HandleError(nil) }`: {"f": {"utilruntime.HandleError"}},
		`import "k8s.io/apimachinery/pkg/util/runtime"; func f() { runtime.HandleErrorWithContext(nil) }`:      {"f": {"runtime.HandleErrorWithContext"}},
		`import "k8s.io/klog/v2"; func f() { klog.FromContext(nil).Error(nil, "no") }`:                         {"f": {"klog.FromContext"}},
		`import "k8s.io/klog/v2"; func f() { klog.Errorf("no") }; func g() {}`:                                 {"f": {"klog.Errorf"}},
		`import "k8s.io/klog/v2"; func (t *T) f() { klog.Errorf("no") }`:                                       {"T.f": {"klog.Errorf"}},
		`import "k8s.io/klog/v2"; func (t T[K]) f() { klog.Errorf("no") }`:                                     {"T.f": {"klog.Errorf"}},
		`import "k8s.io/klog/v2"; var log = klog.Background()`:                                                 {"var": {"klog.Background"}},
		`import "k8s.io/klog/v2"; func f() { klog.NewContext(nil, log) }`:                                      {},
		`import "k8s.io/apimachinery/pkg/util/runtime"; func f() { runtime.Must(nil) }`:                        {},
		`import "runtime"; func f() { runtime.HandleNothing() }`:                                               {},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\n"+text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, klogIn(file)); diff != "" {
			t.Errorf("in %s is found (-want +got):\n%s", text, diff)
		}
	}
}

// TestNoiseIsReviewed fails when a library changes: compare the table with what it logs now, then name its new version.
func TestNoiseIsReviewed(t *testing.T) {
	for module, reviewed := range map[string]string{"k8s.io/kubernetes": "v1.36.3", "sigs.k8s.io/controller-runtime": "v0.24.1"} {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module).Output()
		if err != nil {
			t.Fatal(err)
		}
		if now := strings.TrimSpace(string(out)); now != reviewed {
			t.Errorf("%s is %s, the noise was reviewed with %s", module, now, reviewed)
		}
	}
}
