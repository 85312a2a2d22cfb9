package resourcemanager_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

func TestRecovery(t *testing.T) {
	t.Parallel()
	t.Run("GRM-16 a kind that appears later is applied without anybody's help", func(t *testing.T) {
		t.Parallel()
		r := create(t, "later", "apiVersion: later.example.org/v1\nkind: Gadget\nmetadata: {name: x, namespace: other}\n")
		eventually(t, "failed", failed(r, "ApplyFailed"))
		create(t, "later-kind", `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.later.example.org}
spec:
  group: later.example.org
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`).waitApplied()
		r.waitApplied()
	})
	t.Run("GRM-16 half of the objects invalid: the others are applied, and all when the content is mended", func(t *testing.T) {
		t.Parallel()
		bad, good := "", ""
		for i := range 4 {
			good += configMap(fmt.Sprintf("half-good-%d", i), "x")
			bad += fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: half-bad-%d, namespace: other, labels: {a: '-'}}\n---\n", i)
		}
		r := create(t, "half", good+bad)
		eventually(t, "failed", failed(r, "ApplyFailed"))
		eventually(t, "good ones", hasValue("half-good-3", "x"))
		r.setContent(good + strings.ReplaceAll(bad, "'-'", "b"))
		r.waitApplied()
	})
	t.Run("GRM-4 a foreign finalizer holds back only what it protects", func(t *testing.T) {
		t.Parallel()
		r := create(t, "held", configMap("held", "x")+configMap("held-not", "x"))
		r.waitApplied()
		held := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "held"}}
		finalizers := func(value string) {
			if err := target.Patch(t.Context(), held, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":`+value+`}}`))); err != nil {
				t.Fatal(err)
			}
		}
		finalizers(`["example.com/wait"]`)
		resource, _ := r.get(t.Context())
		if err := target.Delete(t.Context(), resource); err != nil {
			t.Fatal(err)
		}
		r.waitFor("ResourcesApplied", "Progressing", "DeletionPending")
		eventually(t, "the other is gone", isGone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "held-not"}}))
		finalizers("null")
		eventually(t, "all is gone", isGone(resource))
	})
	t.Run("GRM-6 a Secret that is forced away is reported, its objects stay, and a new one heals", func(t *testing.T) {
		t.Parallel()
		r := create(t, "robbed", configMap("robbed", "x"))
		r.waitApplied()
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "robbed"}}
		if err := target.Delete(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		if err := target.Patch(t.Context(), secret, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))); err != nil {
			t.Fatal(err)
		}
		eventually(t, "reported", failed(r, "CannotReadSecret"))
		if err := hasValue("robbed", "x")(t.Context()); err != nil {
			t.Error(err)
		}
		again := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "robbed"}, Data: map[string][]byte{"a": []byte(configMap("robbed", "z"))}}
		if err := target.Create(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		eventually(t, "new content", hasValue("robbed", "z"))
		r.waitApplied()
	})
	t.Run("GRM-6 a Secret deleted before its ManagedResource waits for it", func(t *testing.T) {
		t.Parallel()
		r := create(t, "order", configMap("order", "x"))
		r.waitApplied()
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "order"}}
		resource, _ := r.get(t.Context())
		for _, object := range []client.Object{secret, resource} {
			if err := target.Delete(t.Context(), object); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, "object", isGone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "order"}}))
		eventually(t, "secret", isGone(secret))
	})
}

// TestUnreachableTarget runs a resource manager whose way to the target can be cut.
func TestUnreachableTarget(t *testing.T) {
	t.Parallel()
	way := newWay(t)
	raw, err := os.ReadFile(env.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	server := "https://" + way.listener.Addr().String()
	content := strings.Replace(string(raw), env.Config.Host, server+"\n    tls-server-name: "+hostOf(t, env.Config.Host), 1)
	if err := os.WriteFile(kubeconfig, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := target.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "unreachable"}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cmd := resourcemanager.Command()
	cmd.SetArgs([]string{
		"--source-kubeconfig=" + env.Kubeconfig, "--target-kubeconfig=" + kubeconfig, "--namespace=unreachable", "--resource-class=unreachable",
		"--bind-address=0", "--sync-period=1s",
	})
	ended := make(chan error, 1)
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })

	mr := func(r *resourcesv1alpha1.ManagedResource) {
		r.Namespace, r.Spec.Class = "unreachable", ptr.To("unreachable")
	}
	create(t, "reach-1", configMap("reach-1", "x"), mr)
	eventually(t, "applied while reachable", hasValue("reach-1", "x"))
	way.cut.Store(true)
	way.closeAll()
	create(t, "reach-2", configMap("reach-2", "x"), mr)
	t.Run("GRM-16 the condition says that the target does not answer", func(t *testing.T) {
		eventually(t, "condition", func(ctx context.Context) error {
			resource := &resourcesv1alpha1.ManagedResource{}
			if err := target.Get(ctx, client.ObjectKey{Namespace: "unreachable", Name: "reach-2"}, resource); err != nil {
				return err
			}
			for _, c := range resource.Status.Conditions {
				if c.Type == resourcesv1alpha1.ResourcesApplied && c.Status == "False" {
					return nil
				}
			}
			return fmt.Errorf("conditions: %+v", resource.Status.Conditions)
		})
	})
	t.Run("GRM-3 afterwards everything is made good", func(t *testing.T) {
		patchData(t, "reach-1", "changed") // without a notification
		way.cut.Store(false)
		eventually(t, "new object", hasValue("reach-2", "x"))
		eventually(t, "changed object", hasValue("reach-1", "x"))
	})
}

// way forwards connections to the API server until it is cut.
type way struct {
	listener net.Listener
	cut      atomic.Bool
	open     chan net.Conn
}

func newWay(t *testing.T) *way {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(env.Address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	server, err := url.Parse(env.Config.Host)
	if err != nil {
		t.Fatal(err)
	}
	w := &way{listener: listener, open: make(chan net.Conn, 1000)}
	go func() {
		for {
			from, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			to, err := net.DialTimeout("tcp", server.Host, time.Second)
			if w.cut.Load() || err != nil {
				_ = from.Close()
				continue
			}
			w.open <- from
			go func() { _, _ = io.Copy(to, from); _ = to.Close() }()
			go func() { _, _ = io.Copy(from, to); _ = from.Close() }()
		}
	}()
	return w
}

func (w *way) closeAll() {
	for {
		select {
		case c := <-w.open:
			_ = c.Close()
		default:
			return
		}
	}
}

func hostOf(t *testing.T, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Hostname()
}
