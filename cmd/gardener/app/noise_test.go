package app

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/zapr"
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
		"a finding of ours shows":                     {logger: "garden-manager", message: "Reconciler error", err: errors.New("no"), shown: true},
		"that a part is ready shows":                  {message: "Part is ready", info: true, shown: true},
		"that a controller starts does not":           {logger: "garden-manager", message: "Starting workers", info: true},
		"an error of Kubernetes shows":                {logger: "seed-controllers.gc", message: "Failed", err: errors.New("no"), shown: true},
		"an answer that nobody reads does not":        {logger: "kubernetes", message: "Unhandled Error", err: errors.New("unable to write: http2: stream closed")},
		"another unhandled error shows":               {logger: "kubernetes", message: "Unhandled Error", err: errors.New("no"), shown: true},
		"a pod that cannot start shows":               {logger: "node.kubelet", message: "Error syncing pod, skipping", err: errors.New("no"), shown: true},
		"one that does not start at the end does not": {logger: "node.kubelet", message: "Error syncing pod, skipping", err: errors.New("x: the node is stopping")},
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

// ourPackages are the files of this project that use the logger of klog, with the reason why none of their errors is noise.
var ourPackages = map[string]string{
	"controllers/autoscaler/simulate/simulate.go": "a function of the library takes a logger, for an error of a toleration",
	"embedded/etcd/command.go":                    "a process of its own, which drops no noise",
	"embedded/garden/command.go":                  "a process of its own, which drops no noise",
	"embedded/kubeapi/command.go":                 "a process of its own, which drops no noise",
	"embedded/kubecontroller/tokens.go":           "a controller of Kubernetes takes its logger",
	"embedded/node/clients.go":                    "functions of the kubelet take its logger",
	"embedded/node/command.go":                    "a process of its own, which drops no noise",
	"embedded/node/csinode.go":                    "it says why it tries again, without an error that noise could match",
}

// logsByKlog are functions of libraries that write to the logger of klog, or return it.
var logsByKlog = map[string]*regexp.Regexp{
	"k8s.io/klog/v2":                       regexp.MustCompile(`^(V|Info|Warning|Error|Fatal|Exit|Background|TODO|FromContext|LoggerWith)`),
	"k8s.io/apimachinery/pkg/util/runtime": regexp.MustCompile(`^Handle`),
}

// klogIn returns the calls in a file that log by klog.
func klogIn(file *ast.File) (calls []string) {
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
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.SelectorExpr); ok {
			if of, ok := call.X.(*ast.Ident); ok && names[of.Name] != nil && names[of.Name].MatchString(call.Sel.Name) {
				calls = append(calls, of.Name+"."+call.Sel.Name)
			}
		}
		return true
	})
	return calls
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
			if calls := klogIn(file); len(calls) > 0 {
				found[path] = true
				if ourPackages[path] == "" {
					t.Errorf("%s uses %s: log by the logger of the component, since noise could swallow its errors", path, strings.Join(calls, ", "))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for path := range ourPackages {
		if !found[path] {
			t.Errorf("%s does not log by klog: remove its reason", path)
		}
	}
}

func TestLoggingByKlogIsFound(t *testing.T) {
	for text, want := range map[string]string{
		`import utilruntime "k8s.io/apimachinery/pkg/util/runtime"; func f() { utilruntime.HandleError(nil) }`: "utilruntime.HandleError",
		`import "k8s.io/apimachinery/pkg/util/runtime"; func f() { runtime.HandleErrorWithContext(nil) }`:      "runtime.HandleErrorWithContext",
		`import "k8s.io/klog/v2"; func f() { klog.FromContext(nil).Error(nil, "no") }`:                         "klog.FromContext",
		`import "k8s.io/klog/v2"; func f() { klog.Errorf("no") }`:                                              "klog.Errorf",
		`import "k8s.io/klog/v2"; func f() { klog.NewContext(nil, log) }`:                                      "",
		`import "k8s.io/apimachinery/pkg/util/runtime"; func f() { runtime.Must(nil) }`:                        "",
		`import "runtime"; func f() { runtime.HandleNothing() }`:                                               "",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\n"+text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(klogIn(file), " "); got != want {
			t.Errorf("%q is found in %s, want %q", got, text, want)
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
