package nodeagent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/operatingsystemconfig"
	"github.com/gardener-up/gardener-up/controllers/nodeagent"
	"github.com/gardener-up/gardener-up/controllers/nodeagent/apply"
	"github.com/gardener-up/gardener-up/controllers/nodeagent/config"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

const pool = "gardener-node-agent-pool-12345"

var (
	restConfig *rest.Config
	errBoom    = errors.New("boom")
)

func TestMain(m *testing.M) {
	testenv.Main(m, testenv.Options{}, func(env *testenv.Env) { restConfig = env.Config })
}

// machine stands for what package apply does.
type machine struct {
	mu      sync.Mutex
	called  chan struct{} // gets a value for each that was applied, if set
	applied []apply.Content
	before  []*apply.Content
	result  apply.Result
	err     error
}

func (m *machine) apply(_ context.Context, content apply.Content, before *apply.Content) (apply.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return apply.Result{}, m.err
	}
	m.applied, m.before = append(m.applied, content), append(m.before, before)
	if m.called != nil {
		m.called <- struct{}{}
	}
	return m.result, nil
}

func (m *machine) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.applied)
}

// secretOf is the Secret of a pool as the gardenlet writes it, with one file.
func secretOf(t *testing.T, content string) *corev1.Secret {
	t.Helper()
	osc := &extensionsv1alpha1.OperatingSystemConfig{}
	osc.Spec.Files = []extensionsv1alpha1.File{
		{Path: "/etc/x", Content: extensionsv1alpha1.FileContent{SecretRef: &extensionsv1alpha1.FileContentSecretRef{Name: "s", DataKey: "k"}}},
	}
	secret, err := operatingsystemconfig.AgentSecret("pool", pool, osc, func(string, string) ([]byte, error) { return []byte(content), nil })
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// newAgent makes an agent with the rights that the gardenlet gives it.
func newAgent(t *testing.T, m *machine) (*nodeagent.Agent, kubernetes.Interface) {
	t.Helper()
	admin, err := kubernetes.NewForConfig(restConfig)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
	token := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: config.Name, Namespace: "kube-system"}, Data: map[string][]byte{"token": []byte("secret")}}
	for _, create := range []func() error{
		func() error { _, err := admin.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); return err },
		func() error {
			_, err := admin.CoreV1().Secrets("kube-system").Create(ctx, secretOf(t, "one"), metav1.CreateOptions{})
			return err
		},
		func() error {
			_, err := admin.CoreV1().Secrets("kube-system").Create(ctx, token, metav1.CreateOptions{})
			return err
		},
	} {
		if err := create(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		_ = admin.CoreV1().Nodes().Delete(ctx, "node", metav1.DeleteOptions{})
		_ = admin.CoreV1().Secrets("kube-system").Delete(ctx, pool, metav1.DeleteOptions{})
		_ = admin.CoreV1().Secrets("kube-system").Delete(ctx, config.Name, metav1.DeleteOptions{})
	})
	return &nodeagent.Agent{
		Config: config.Configuration{Controllers: config.Controllers{
			OperatingSystemConfig: config.OperatingSystemConfig{SecretName: pool, SyncPeriod: &metav1.Duration{Duration: time.Hour}},
			Token:                 config.Token{SyncConfigs: []config.TokenSync{{SecretName: config.Name, Path: config.PathToken}}, SyncPeriod: &metav1.Duration{Duration: time.Hour}},
		}},
		NodeName: "node", HostName: "node", Client: admin, Apply: m.apply, Files: nodeagent.Files{Root: t.TempDir()}, Clock: clock.RealClock{}, Log: logr.Discard(),
	}, admin
}

func look(t *testing.T, agent *nodeagent.Agent) {
	t.Helper()
	if _, err := agent.Look(t.Context()); err != nil {
		t.Fatalf("look: %v", err)
	}
}

func checksum(t *testing.T, admin kubernetes.Interface) string {
	t.Helper()
	node, err := admin.CoreV1().Nodes().Get(t.Context(), "node", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return node.Annotations["checksum/cloud-config-data"]
}

func update(t *testing.T, admin kubernetes.Interface, content string) {
	t.Helper()
	if _, err := admin.CoreV1().Secrets("kube-system").Update(t.Context(), secretOf(t, content), metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestLook(t *testing.T) {
	m := &machine{}
	agent, admin := newAgent(t, m)
	look(t, agent)
	first := checksum(t, admin)
	t.Run("OSC-1 OSC-2 BST-15 a machine applies the Secret of its pool and reports that at the node", func(t *testing.T) {
		if m.count() != 1 || m.applied[0].Files[0].Content.Inline.Data != "one" || first == "" || m.before[0] != nil {
			t.Errorf("applied %+v, checksum %q", m.applied, first)
		}
	})
	t.Run("OSC-1 the token is kept in its file, for root only", func(t *testing.T) {
		info, err := os.Stat(agent.Files.Root + config.PathToken)
		if data, _ := agent.Files.Read(config.PathToken); err != nil || string(data) != "secret" || info.Mode().Perm() != 0o600 {
			t.Errorf("token is %q, %v, %v", data, info, err)
		}
	})
	t.Run("BST-15 a node that has lost the announcement gets it again", func(t *testing.T) {
		lose := []byte(`{"metadata":{"annotations":{"checksum/cloud-config-data":"lost"}}}`)
		if _, err := admin.CoreV1().Nodes().Patch(t.Context(), "node", types.MergePatchType, lose, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		look(t, agent)
		if got := checksum(t, admin); got != first {
			t.Errorf("checksum is %q", got)
		}
	})
	t.Run("what did not change is not applied again", func(t *testing.T) {
		look(t, agent)
		if m.count() != 1 {
			t.Errorf("applied %d times", m.count())
		}
	})
	t.Run("OSC-2 BST-15 a change that cannot be applied is not reported as done", func(t *testing.T) {
		m.err = errBoom
		update(t, admin, "two")
		if _, err := agent.Look(t.Context()); !errors.Is(err, errBoom) {
			t.Errorf("error is %v", err)
		}
		if got := checksum(t, admin); got != first {
			t.Errorf("checksum is %q", got)
		}
		m.err = nil
	})
	t.Run("OSC-2 a change is applied against what was there", func(t *testing.T) {
		look(t, agent)
		if m.count() != 2 || m.applied[1].Files[0].Content.Inline.Data != "two" || m.before[1] == nil || m.before[1].Files[0].Content.Inline.Data != "one" {
			t.Errorf("applied %+v", m.applied)
		}
		if got := checksum(t, admin); got == first {
			t.Error("the checksum is the old one")
		}
	})
	t.Run("CAR-14 a change of the configuration also brings the token that is valid then", func(t *testing.T) {
		change := []byte(`{"stringData":{"token":"renewed"}}`)
		if _, err := admin.CoreV1().Secrets("kube-system").Patch(t.Context(), config.Name, types.MergePatchType, change, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		look(t, agent)
		if data, _ := agent.Files.Read(config.PathToken); string(data) != "secret" {
			t.Errorf("the token is %q before it is due", data)
		}
		update(t, admin, "rotated")
		look(t, agent)
		if data, _ := agent.Files.Read(config.PathToken); string(data) != "renewed" {
			t.Errorf("the token is %q", data)
		}
	})
	t.Run("an agent whose service changed ends after all else is done", func(t *testing.T) {
		m.result.Self = true
		update(t, admin, "three")
		if _, err := agent.Look(t.Context()); !errors.Is(err, nodeagent.ErrRestart) {
			t.Errorf("error is %v", err)
		}
		m.result.Self = false
		if data, _ := agent.Files.Read(config.PathLastApplied); !strings.Contains(string(data), "three") {
			t.Errorf("it would be done again: %s", data)
		}
	})
}

func TestLookOnOldMachines(t *testing.T) {
	m := &machine{}
	agent, _ := newAgent(t, m)
	if err := agent.Files.Write(config.PathLastApplied, []byte("{")); err != nil {
		t.Fatal(err)
	}
	look(t, agent)
	if before := m.before[0]; before == nil || len(before.Files) > 0 {
		t.Errorf("OSC-10 a machine whose past cannot be read is taken for a new one: %+v", before)
	}
}

func TestRun(t *testing.T) {
	m := &machine{called: make(chan struct{}, 10)}
	agent, admin := newAgent(t, m)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- agent.Run(ctx) }()
	await := func(n int) {
		t.Helper()
		select {
		case <-m.called:
		case <-time.After(testwait.Patience):
			t.Fatalf("OSC-1 applied %d times, want %d", m.count(), n)
		}
	}
	await(1)
	update(t, admin, "two")
	await(2) // long before it would look by itself
	cancel()
	if err := <-done; err != nil {
		t.Errorf("run ended with %v", err)
	}
}

func TestRights(t *testing.T) {
	m := &machine{}
	agent, admin := newAgent(t, m)
	for _, object := range operatingsystemconfig.AgentRights([]string{pool}) {
		if err := create(t.Context(), admin, object); err != nil {
			t.Fatalf("create %T %s: %v", object, object.GetName(), err)
		}
	}
	as := func(user string, groups ...string) kubernetes.Interface {
		t.Helper()
		impersonated := rest.CopyConfig(restConfig)
		impersonated.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: append(groups, "system:authenticated")}
		c, err := kubernetes.NewForConfig(impersonated)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	secrets := func(c kubernetes.Interface) (allowed []string) {
		for _, name := range []string{pool, config.Name, "other"} {
			if _, err := c.CoreV1().Secrets("kube-system").Get(t.Context(), name, metav1.GetOptions{}); err == nil || !strings.Contains(err.Error(), "forbidden") {
				allowed = append(allowed, name)
			}
		}
		return allowed
	}
	t.Run("OSC-1 a machine that boots may read nothing but its token", func(t *testing.T) {
		booting := as("system:bootstrap:abcdef", "system:bootstrappers", "system:bootstrappers:worker-pools")
		testwait.Until(t, "it may read its token only", func() error { // API servers learn of rights some moments after they are given
			if got := secrets(booting); !slices.Equal(got, []string{config.Name}) {
				return fmt.Errorf("it may read %v", got)
			}
			return nil
		})
	})
	t.Run("OSC-1 a node agent may read its pool and its token, and does its work with that", func(t *testing.T) {
		agent.Client = as(fmt.Sprintf("system:serviceaccount:kube-system:%s", config.Name))
		testwait.Until(t, "it may read both", func() error {
			if got := secrets(agent.Client); !slices.Equal(got, []string{pool, config.Name}) {
				return fmt.Errorf("it may read %v", got)
			}
			return nil
		})
		look(t, agent)
		if checksum(t, admin) == "" {
			t.Error("the node does not know")
		}
	})
}
