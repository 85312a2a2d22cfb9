// Package integration tests the component admission-controller in front of a real garden, whose API servers ask it.
package integration

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

const (
	seeds    = "gardener.cloud:system:seeds"
	deadline = time.Minute // the machine may be busy
)

var (
	garden *gardenapitest.Garden
	made   files
	admin  client.Client
	stop   func() // the component, for good
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "admission-")
	if err != nil {
		return fail(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if made, err = makeFiles(dir); err != nil {
		return fail(err)
	}
	options := gardenapitest.Options{Process: true, Env: testenv.Options{AuthorizationConfig: made.authorization}}
	if garden, err = gardenapitest.Start(options); err != nil {
		return fail(err)
	}
	defer garden.Stop()
	if admin, err = newClient(garden.Config); err != nil {
		return fail(err)
	}
	if stop, err = startComponent(); err != nil {
		return fail(err)
	}
	defer stop()
	if err := prepare(); err != nil {
		return fail(err)
	}
	return m.Run()
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// startComponent runs the component until stop is called, and waits until it is ready.
func startComponent() (stop func(), err error) {
	cmd, ended := admissioncontroller.Command(), make(chan error, 1)
	cmd.SetArgs([]string{"--config", made.config(garden.Kubeconfig), "--client-ca-file", made.path("ca.crt"), "--trusted-user", "trusted"})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			fmt.Fprintln(os.Stderr, "the admission controller ended:", err)
		}
	})
	return stop, eventually(func() error {
		select {
		case err := <-ended:
			ended <- err
			return fmt.Errorf("the admission controller ended: %w", err)
		default:
		}
		answer, err := made.client.Get(made.url + "/readyz")
		if err != nil {
			return err
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("/readyz answers %s", answer.Status)
		}
		return admin.Get(context.Background(), client.ObjectKey{Name: admissioncontroller.Name}, validating())
	})
}

// prepare makes the objects of two seeds, and starts the garden as if a former version had run, whose gardenlets might do
// everything.
func prepare() error {
	ctx := context.Background()
	if err := upgrade(ctx); err != nil {
		return err
	}
	for _, seed := range []string{"a", "b"} {
		if err := makeSeed(ctx, seed); err != nil {
			return fmt.Errorf("make objects of seed %q: %w", seed, err)
		}
	}
	gardenlet, err := newClient(gardenletOf("a"))
	if err != nil {
		return err
	}
	return eventually(func() error { // RBAC and the graph follow a moment later
		if err := gardenlet.Get(ctx, client.ObjectKey{Namespace: "kube-system", Name: "extension-apiserver-authentication"}, configMap()); err == nil {
			return errors.New("RBAC still allows everything")
		}
		return gardenlet.Get(ctx, client.ObjectKey{Namespace: "garden-a", Name: "cloud"}, secret("", "", nil))
	})
}

// upgrade allows gardenlets what former versions allowed, and then writes the roles of this version.
func upgrade(ctx context.Context) error {
	dynamics, err := dynamic.NewForConfig(garden.Config)
	if err != nil {
		return err
	}
	role := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": seeds},
		"rules": []any{map[string]any{"apiGroups": []any{"*"}, "resources": []any{"*"}, "verbs": []any{"*"}}},
	}}
	roles := dynamics.Resource(rbacv1.SchemeGroupVersion.WithResource("clusterroles"))
	if _, err := roles.Apply(ctx, seeds, role, metav1.ApplyOptions{FieldManager: "gardener-apiserver"}); err != nil {
		return err
	}
	return garden.WriteRoles(ctx)
}

// gardenletOf is the configuration of the gardenlet of a seed.
func gardenletOf(seed string) *rest.Config {
	config, err := garden.ConfigFor("gardener.cloud:system:seed:"+seed, seeds)
	if err != nil {
		panic(err)
	}
	return config
}

func newClient(config *rest.Config) (client.Client, error) {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		return nil, err
	}
	return client.New(config, client.Options{Scheme: scheme})
}

func eventually(check func() error) error {
	return testwait.Try(context.Background(), deadline, check)
}

func write(dir, name string, content []byte) (string, error) {
	file := filepath.Join(dir, name)
	return file, os.WriteFile(file, content, 0o600)
}
