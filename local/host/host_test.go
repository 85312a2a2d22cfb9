package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/local/containers"
	"github.com/gardener-up/gardener-up/local/host"
	"github.com/gardener-up/gardener-up/local/machine/container"
	"github.com/gardener-up/gardener-up/local/userdata"
)

const namespace = "shoot--local--test"

var (
	environment *testenv.Env
	restConfig  *rest.Config
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(fakeDir); dir != "" {
		if err := fakeEngine(dir, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testenv.Main(m, testenv.Options{NoLeaks: true}, func(env *testenv.Env) { environment, restConfig = env, env.Config })
}

// inventory notes what was noted.
type inventory struct {
	mu      sync.Mutex
	items   []string
	holders map[string]string
}

func (i *inventory) Hold(_, name, seed string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.holders == nil {
		i.holders = map[string]string{}
	}
	i.holders[name] = seed
	return nil
}

func (i *inventory) Holder(_, name string) (string, bool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	seed, known := i.holders[name]
	return seed, known, nil
}

func (i *inventory) Add(kind, name string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !slices.Contains(i.items, kind+" "+name) {
		i.items = append(i.items, kind+" "+name)
	}
	return nil
}

func (i *inventory) Remove(kind, name string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.items = slices.DeleteFunc(i.items, func(item string) bool { return item == kind+" "+name })
	return nil
}

func (i *inventory) list() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.items)
}

// world is an agent with a fake engine and a real API server.
type world struct {
	t         *testing.T
	dir       string
	client    client.Client
	engine    *containers.Engine
	inventory inventory
	gateway   atomic.Value
	seed      string       // of the agent
	place     atomic.Value // of the shoot in the garden
	stop      context.CancelFunc
	done      chan error
	scheme    *runtime.Scheme
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), scheme: runtime.NewScheme(), seed: strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-"))}
	w.gateway.Store("172.18.0.2")
	w.place.Store(host.Place{Seed: w.seed})
	if err := errors.Join(corev1.AddToScheme(w.scheme), os.Mkdir(filepath.Join(w.dir, "containers"), 0o755)); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n%s=%s exec %s \"$@\"\n", fakeDir, w.dir, self)
	if err := os.WriteFile(filepath.Join(w.dir, "docker"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", w.dir+":/usr/bin:/bin")
	t.Setenv(containers.ProviderVariable, "")
	if w.engine, err = containers.Detect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w.client, err = client.New(restConfig, client.Options{Scheme: w.scheme}); err != nil {
		t.Fatal(err)
	}
	err = w.client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	w.start()
	t.Cleanup(func() { w.end() })
	return w
}

// start runs the agent; end ends it.
func (w *world) start() {
	w.t.Helper()
	skip := true
	mgr, err := manager.New(restConfig, manager.Options{
		Scheme: w.scheme, Metrics: metricsserver.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: &skip},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	err = host.AddToManager(mgr, host.Config{
		Engine: w.engine, Landscape: "test", Seed: w.seed, Network: "kind", Images: []string{"kindest/node:v1"}, Binary: self, Inventory: &w.inventory,
		Gateways: func(context.Context) ([]string, error) { return strings.Fields(w.gateway.Load().(string)), nil },
		Place:    func(context.Context, string) (host.Place, error) { return w.place.Load().(host.Place), nil },
		Period:   100 * time.Millisecond,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.stop, w.done = cancel, make(chan error, 1)
	go func() { w.done <- mgr.Start(ctx) }()
}

func (w *world) end() {
	w.stop()
	if err := <-w.done; err != nil {
		w.t.Errorf("agent ended: %v", err)
	}
}

// as is a client of a service account that may do everything.
func (w *world) as(namespace, account string) client.Client {
	w.t.Helper()
	access := rest.CopyConfig(restConfig)
	access.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + namespace + ":" + account, Groups: []string{"system:masters"}}
	c, err := client.New(access, client.Options{Scheme: w.scheme})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// order writes an order for a machine.
func (w *world) order(machine string) container.Order {
	w.t.Helper()
	kubeconfig := `{"apiVersion":"v1","kind":"Config","clusters":[{"name":"s","cluster":{"server":"https://api.test.local:8443"}}]}`
	data, err := userdata.Document{Files: []userdata.File{userdata.NewFile("/var/lib/kubelet/kubeconfig-bootstrap", 0o600, []byte(kubeconfig))}}.Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	order := container.Order{
		Namespace: namespace, Machine: machine, Class: "class", Node: machine, ProviderID: "local:///" + namespace + "/" + machine,
		Image: "kindest/node:v1", UserData: data,
	}
	if err := w.as(namespace, "machine-controller-manager").Create(w.t.Context(), order.Secret()); err != nil {
		w.t.Fatalf("write order: %v", err)
	}
	return order
}

func (w *world) report(machine string) container.Report {
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = container.Key(namespace, machine)
	if err := w.client.Get(w.t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
		return container.Report{Message: err.Error()}
	}
	return container.ReportOf(secret)
}

// eventually waits for a condition, which is to describe itself when it does not hold.
func (w *world) eventually(what string, holds func() (bool, any)) {
	w.t.Helper()
	environment.Until(w.t, what, func(context.Context) error {
		if ok, last := holds(); !ok {
			return fmt.Errorf("it is %v", last)
		}
		return nil
	})
}

func (w *world) becomes(machine string, state container.State) {
	w.t.Helper()
	w.eventually("machine "+machine+" becomes "+string(state), func() (bool, any) {
		report := w.report(machine)
		return report.State == state, report
	})
}

// change edits what the engine knows about a container; it removes it if edit is nil.
func (w *world) change(name string, edit func(*fakeContainer)) {
	w.t.Helper()
	path := filepath.Join(w.dir, "containers", name)
	if edit == nil {
		if err := os.Remove(path); err != nil {
			w.t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	c := &fakeContainer{}
	if err := json.Unmarshal(data, c); err != nil {
		w.t.Fatal(err)
	}
	edit(c)
	if data, err = json.Marshal(c); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) file(name string) string {
	data, _ := os.ReadFile(filepath.Join(w.dir, name))
	return string(data)
}

func (w *world) exists(name string) bool {
	_, err := os.Stat(filepath.Join(w.dir, "containers", name))
	return err == nil
}

func (w *world) withdraw(machine string) {
	w.t.Helper()
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = container.Key(namespace, machine)
	if err := w.client.Delete(w.t.Context(), secret); err != nil {
		w.t.Fatalf("withdraw order: %v", err)
	}
	w.eventually("the order goes", func() (bool, any) {
		err := w.client.Get(w.t.Context(), client.ObjectKeyFromObject(secret), secret)
		return apierrors.IsNotFound(err), secret.Finalizers
	})
}

// release withdraws an order as the provider does when a shoot leaves the seed.
func (w *world) release(machine string) {
	w.t.Helper()
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = container.Key(namespace, machine)
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+container.ReleasedAnnotation+`":"true"}}}`))
	if err := w.client.Patch(w.t.Context(), secret, patch); err != nil {
		w.t.Fatal(err)
	}
	w.withdraw(machine)
}

// foreign puts a container into the engine that the agent did not make.
func (w *world) foreign(c *fakeContainer) {
	w.t.Helper()
	data, err := json.Marshal(c)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "containers", c.Name), data, 0o600); err != nil {
		w.t.Fatal(err)
	}
}
