package secretsmanager_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

var cluster client.Client

func TestMain(m *testing.M) {
	testenv.Main(m, testenv.Options{}, func(env *testenv.Env) {
		var err error
		if cluster, err = client.New(env.Config, client.Options{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			env.Stop()
			os.Exit(1)
		}
	})
}

// A key that was made too late is kept, so that the next attempt finds it.
func TestAKeyThatIsMadeLateIsKept(t *testing.T) {
	w := newWorld(t)
	config := secretsmanager.Key{Name: "late"}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	first, err := w.manager().Generate(late, config)
	if err != nil {
		t.Fatal(err)
	}
	if again := w.generate(w.manager(), config); again.UID != first.UID {
		t.Errorf("the next attempt has secret %s, and not %s", again.Name, first.Name)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if secret, err := w.manager().Generate(ended, secretsmanager.Key{Name: "ended"}); err == nil {
		t.Errorf("a run that was ended made secret %s", secret.Name)
	}
}

var start = time.Now().Truncate(time.Second)

// world is one namespace whose clock the test moves.
type world struct {
	t         *testing.T
	namespace string
	clock     *clocktesting.FakePassiveClock
	rotations map[string]time.Time
}

func newWorld(t *testing.T) *world {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "secrets-"}}
	if err := cluster.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	return &world{t: t, namespace: namespace.Name, clock: clocktesting.NewFakePassiveClock(start), rotations: map[string]time.Time{}}
}

// manager is one for a new run, as after a restart of the process.
func (w *world) manager() *secretsmanager.Manager {
	w.t.Helper()
	m, err := secretsmanager.New(w.t.Context(), secretsmanager.Settings{
		Reader: cluster, Writer: cluster, Clock: w.clock, Namespace: w.namespace, Identity: "test", Rotations: w.rotations,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

func (w *world) generate(m *secretsmanager.Manager, config secretsmanager.Config, options ...secretsmanager.Option) *corev1.Secret {
	w.t.Helper()
	secret, err := m.Generate(w.t.Context(), config, options...)
	if err != nil {
		w.t.Fatal(err)
	}
	return secret
}

func (w *world) names() []string {
	w.t.Helper()
	list := &corev1.SecretList{}
	if err := cluster.List(w.t.Context(), list, client.InNamespace(w.namespace)); err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, secret := range list.Items {
		out = append(out, secret.Name)
	}
	slices.Sort(out)
	return out
}

var (
	ca     = secretsmanager.Certificate{Name: "ca", CommonName: "kubernetes", Usage: secretsmanager.CA}
	server = secretsmanager.Certificate{Name: "server", CommonName: "server", DNSNames: []string{"kube-apiserver"}, Usage: secretsmanager.Server}
	user   = secretsmanager.Certificate{Name: "user", CommonName: "user", Organization: []string{"group"}, Usage: secretsmanager.Client}
	keep   = secretsmanager.Rotate(secretsmanager.KeepOld)
)

func TestGenerateIsRepeatable(t *testing.T) {
	w := newWorld(t)
	first := w.manager()
	authority := w.generate(first, ca, keep, secretsmanager.Persist())
	leaf := w.generate(first, server, secretsmanager.SignedBy("ca"))
	before := w.names()

	second := w.manager()
	if got := w.generate(second, ca, keep); got.Name != authority.Name {
		t.Errorf("CA is %q after a restart, was %q", got.Name, authority.Name)
	}
	if got := w.generate(second, server, secretsmanager.SignedBy("ca")); got.Name != leaf.Name || string(got.Data["tls.crt"]) != string(leaf.Data["tls.crt"]) {
		t.Errorf("certificate is %q after a restart, was %q", got.Name, leaf.Name)
	}
	if diff := cmp.Diff(before, w.names()); diff != "" {
		t.Errorf("secrets changed (-before +after):\n%s", diff)
	}
}

func TestGenerateLabelsAndData(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	authority := w.generate(m, ca, keep, secretsmanager.Persist())
	leaf := w.generate(m, server, secretsmanager.SignedBy("ca"))

	t.Run("GLT-25 secrets carry the labels of the secrets manager", func(t *testing.T) {
		want := map[string]string{"managed-by": "secrets-manager", "manager-identity": "test", "name": "ca", "persist": "true", "last-rotation-initiation-time": ""}
		for key, value := range want {
			if got, ok := authority.Labels[key]; !ok || got != value {
				t.Errorf("label %s is %q, want %q", key, got, value)
			}
		}
		for _, key := range []string{"checksum-of-config", "checksum-of-signing-ca", "issued-at-time", "valid-until-time"} {
			if leaf.Labels[key] == "" {
				t.Errorf("certificate has no label %s", key)
			}
		}
	})
	t.Run("a CA keeps its name, others have one for their configuration and content", func(t *testing.T) {
		if authority.Name != "ca" || !regexp.MustCompile("^server-[0-9a-f]{8}-[0-9a-f]{5}$").MatchString(leaf.Name) {
			t.Errorf("names are %q and %q", authority.Name, leaf.Name)
		}
	})
	t.Run("what has an old secret beside it is named by its rotation", func(t *testing.T) {
		key := w.generate(m, secretsmanager.Key{Name: "key"}, keep)
		if !regexp.MustCompile("^key-[0-9a-f]{8}$").MatchString(key.Name) {
			t.Errorf("name is %q", key.Name)
		}
	})
	t.Run("secrets are immutable", func(t *testing.T) {
		changed := leaf.DeepCopy()
		changed.Data["tls.key"] = []byte("x")
		if err := cluster.Update(t.Context(), changed); !apierrors.IsInvalid(err) {
			t.Errorf("changing a secret answers %v", err)
		}
	})
	t.Run("the certificate is for its name and signed by the CA", func(t *testing.T) {
		verify(t, leaf, "kube-apiserver", m.Bundle("ca").Data["bundle.crt"], x509.ExtKeyUsageServerAuth)
	})
	t.Run("certificate and key belong together", func(t *testing.T) {
		if _, err := tls.X509KeyPair(leaf.Data["tls.crt"], leaf.Data["tls.key"]); err != nil {
			t.Error(err)
		}
	})
}

func verify(t *testing.T, secret *corev1.Secret, name string, roots []byte, usage x509.ExtKeyUsage) {
	t.Helper()
	block, _ := pem.Decode(secret.Data["tls.crt"])
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(roots)
	if _, err := certificate.Verify(x509.VerifyOptions{DNSName: name, Roots: pool, KeyUsages: []x509.ExtKeyUsage{usage}}); err != nil {
		t.Error(err)
	}
}

func TestGenerateAfterChanges(t *testing.T) {
	t.Run("another configuration makes another secret, Cleanup removes the first", func(t *testing.T) {
		w := newWorld(t)
		m := w.manager()
		w.generate(m, ca, keep)
		first := w.generate(m, server, secretsmanager.SignedBy("ca"))
		m = w.manager()
		w.generate(m, ca, keep)
		changed := server
		changed.DNSNames = []string{"kube-apiserver", "api.example"}
		second := w.generate(m, changed, secretsmanager.SignedBy("ca"))
		if first.Name == second.Name {
			t.Fatal("the name stayed")
		}
		if err := m.Cleanup(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := []string{"ca", m.Bundle("ca").Name, second.Name}
		slices.Sort(want)
		if diff := cmp.Diff(want, w.names()); diff != "" {
			t.Errorf("secrets (-want +got):\n%s", diff)
		}
	})
	t.Run("GLT-25 a configuration that changes and changes back makes a secret of another name, since nodes remember the old content", func(t *testing.T) {
		w := newWorld(t)
		few := secretsmanager.StaticTokens{Name: "tokens", Tokens: []secretsmanager.StaticToken{{Username: "a"}}}
		more := secretsmanager.StaticTokens{Name: "tokens", Tokens: []secretsmanager.StaticToken{{Username: "a"}, {Username: "b"}}}
		content := map[string]string{}
		for range 2 {
			for _, tokens := range []secretsmanager.StaticTokens{few, more} {
				m := w.manager()
				secret := w.generate(m, tokens)
				if err := m.Cleanup(t.Context()); err != nil {
					t.Fatal(err)
				}
				if before, seen := content[secret.Name]; seen && before != string(secret.Data["static_tokens.csv"]) {
					t.Errorf("%s was there before with another content", secret.Name)
				}
				content[secret.Name] = string(secret.Data["static_tokens.csv"])
			}
		}
	})
	t.Run("secrets that two runs at once made for one configuration become one", func(t *testing.T) {
		w := newWorld(t)
		tokens := secretsmanager.StaticTokens{Name: "tokens", Tokens: []secretsmanager.StaticToken{{Username: "a"}}}
		a, b := w.manager(), w.manager()
		w.generate(a, tokens)
		w.generate(b, tokens)
		first, second := w.manager(), w.manager()
		if x, y := w.generate(first, tokens), w.generate(second, tokens); x.Name != y.Name {
			t.Errorf("one run uses %q, the next %q", x.Name, y.Name)
		}
		if err := first.Cleanup(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := w.names(); len(left) != 1 {
			t.Errorf("left are %v", left)
		}
	})
	t.Run("a secret of another manager is left alone", func(t *testing.T) {
		w := newWorld(t)
		other := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "other", Namespace: w.namespace, Labels: map[string]string{"managed-by": "secrets-manager", "manager-identity": "else"}}}
		if err := cluster.Create(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		if err := w.manager().Cleanup(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"other"}, w.names()); diff != "" {
			t.Errorf("secrets (-want +got):\n%s", diff)
		}
	})
	t.Run("a secret that somebody else created meanwhile is taken", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.manager(), w.manager()
		first, second := w.generate(a, ca), w.generate(b, ca)
		if string(first.Data["ca.crt"]) != string(second.Data["ca.crt"]) {
			t.Error("two runs at once have different CAs")
		}
	})
	t.Run("a certificate without its CA is an error", func(t *testing.T) {
		if _, err := newWorld(t).manager().Generate(t.Context(), server, secretsmanager.SignedBy("ca")); err == nil {
			t.Error("no error")
		}
	})
}

func TestRotationOfCA(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	old := w.generate(m, ca, keep)
	oldServer, oldUser := w.generate(m, server, secretsmanager.SignedBy("ca")), w.generate(m, user, secretsmanager.SignedBy("ca"))

	w.rotations["ca"] = start.Add(30 * time.Second)
	w.clock.SetTime(start.Add(30 * time.Second))
	m = w.manager()
	fresh := w.generate(m, ca, keep)
	both := m.Bundle("ca").Data["bundle.crt"]
	preparedServer, preparedUser := w.generate(m, server, secretsmanager.SignedBy("ca")), w.generate(m, user, secretsmanager.SignedBy("ca"))
	t.Run("CAR-7 the first half makes a new CA and trusts both", func(t *testing.T) {
		if fresh.Name == old.Name || strings.Count(string(both), "BEGIN CERTIFICATE") != 2 {
			t.Errorf("CA %q after %q, bundle:\n%s", fresh.Name, old.Name, both)
		}
	})
	t.Run("CAR-10 servers keep the certificate of the old CA in the first half", func(t *testing.T) {
		if preparedServer.Name != oldServer.Name {
			t.Errorf("certificate is %q, was %q", preparedServer.Name, oldServer.Name)
		}
	})
	t.Run("CAR-8 clients get one of the new CA", func(t *testing.T) {
		if preparedUser.Name == oldUser.Name {
			t.Error("certificate stayed")
		}
		verify(t, preparedUser, "", fresh.Data["ca.crt"], x509.ExtKeyUsageClientAuth)
	})
	t.Run("CAR-5 a run in between makes no further CA", func(t *testing.T) {
		if err := m.Cleanup(t.Context()); err != nil {
			t.Fatal(err)
		}
		before := w.names()
		again := w.manager()
		if got := w.generate(again, ca, keep); got.Name != fresh.Name {
			t.Errorf("CA is %q, was %q", got.Name, fresh.Name)
		}
		if diff := cmp.Diff(before, w.names()); diff != "" {
			t.Errorf("secrets changed (-before +after):\n%s", diff)
		}
	})

	m = w.manager()
	w.generate(m, ca, keep, secretsmanager.IgnoreOld())
	doneServer := w.generate(m, server, secretsmanager.SignedBy("ca"))
	t.Run("CAR-10 the second half drops the old CA", func(t *testing.T) {
		if err := m.Cleanup(t.Context()); err != nil {
			t.Fatal(err)
		}
		verify(t, doneServer, "kube-apiserver", fresh.Data["ca.crt"], x509.ExtKeyUsageServerAuth)
		if slices.Contains(w.names(), old.Name) || strings.Count(string(m.Bundle("ca").Data["bundle.crt"]), "BEGIN CERTIFICATE") != 1 {
			t.Errorf("the old CA is still there: %v", w.names())
		}
	})
}

func TestOldSecretIsKeptAsLongAsItIsNeeded(t *testing.T) {
	w := newWorld(t)
	key := secretsmanager.EncryptionKey{Name: "encryption", Bytes: 32}
	first := w.generate(w.manager(), key, keep)
	w.rotations["encryption"] = start.Add(time.Hour)
	second := w.generate(w.manager(), key, keep)
	marked := secretsmanager.IgnoreOldIf(func(current *corev1.Secret) bool { return current.Annotations["done"] == "true" })

	m := w.manager()
	w.generate(m, key, keep, marked)
	if old := m.Old("encryption"); old == nil || old.Name != first.Name {
		t.Errorf("CAR-14 the old key is %v before the new one is marked", old)
	}
	second.Annotations = map[string]string{"done": "true"}
	if err := cluster.Update(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	m = w.manager()
	w.generate(m, key, keep, marked)
	if old := m.Old("encryption"); old != nil {
		t.Errorf("CAR-14 the old key is %q after the new one was marked", old.Name)
	}
}

func TestClockThatWasAhead(t *testing.T) {
	w := newWorld(t)
	w.clock.SetTime(start.Add(365 * 24 * time.Hour))
	m := w.manager()
	authority := w.generate(m, ca, secretsmanager.Rotate(secretsmanager.KeepOld))
	leaf := w.generate(m, server, secretsmanager.SignedBy("ca"))
	for _, round := range []struct {
		name string
		made bool
	}{{"certificates that are not valid yet are made anew", true}, {"the next run keeps them", false}} {
		t.Run(round.name, func(t *testing.T) {
			w.clock.SetTime(w.clock.Now().Add(time.Hour))
			if round.made {
				w.clock.SetTime(start)
			}
			m := w.manager()
			secondCA := w.generate(m, ca, secretsmanager.Rotate(secretsmanager.KeepOld))
			secondLeaf := w.generate(m, server, secretsmanager.SignedByCurrent("ca"))
			if made := secondCA.Name != authority.Name; made != round.made {
				t.Errorf("CA made anew: %t, want %t", made, round.made)
			}
			if made := secondLeaf.Name != leaf.Name; made != round.made {
				t.Errorf("server certificate made anew: %t, want %t", made, round.made)
			}
			authority, leaf = secondCA, secondLeaf
		})
	}
}

func TestRenewal(t *testing.T) {
	short := server
	short.Validity = 100 * time.Hour
	for name, tc := range map[string]struct {
		after   time.Duration
		renewed bool
	}{
		"not before 80 % of the validity": {after: 79 * time.Hour},
		"after 80 % of the validity":      {after: 81 * time.Hour, renewed: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			m := w.manager()
			w.generate(m, ca)
			first := w.generate(m, short, secretsmanager.SignedBy("ca"))
			w.clock.SetTime(start.Add(tc.after))
			m = w.manager()
			w.generate(m, ca)
			second := w.generate(m, short, secretsmanager.SignedBy("ca"))
			if renewed := first.Name != second.Name; renewed != tc.renewed {
				t.Errorf("renewed: %v, want %v", renewed, tc.renewed)
			}
			m = w.manager()
			w.generate(m, ca)
			if third := w.generate(m, short, secretsmanager.SignedBy("ca")); third.Name != second.Name {
				t.Errorf("the next run made %q after %q", third.Name, second.Name)
			}
		})
	}
}

func TestOtherKinds(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	t.Run("the token of a user is found in the token file", func(t *testing.T) {
		secret := w.generate(m, secretsmanager.StaticTokens{Name: "tokens", Tokens: []secretsmanager.StaticToken{
			{Username: "a", UserID: "1"}, {Username: "b", UserID: "2", Groups: []string{"x", "y"}},
		}})
		token := secretsmanager.TokenFor(secret.Data, "b")
		if want := fmt.Sprintf("%s,b,2,%q\n", token, "x,y"); len(token) != 128 || !strings.HasSuffix(string(secret.Data["static_tokens.csv"]), want) {
			t.Errorf("token %q in:\n%s", token, secret.Data["static_tokens.csv"])
		}
		if got := secretsmanager.TokenFor(secret.Data, "c"); got != "" {
			t.Errorf("an unknown user has token %q", got)
		}
	})
	t.Run("a key for signatures has a bundle to check them with", func(t *testing.T) {
		secret := w.generate(m, secretsmanager.Key{Name: "key"}, keep)
		if string(m.Bundle("key").Data["bundle.crt"]) != string(secret.Data["id_rsa"]) {
			t.Error("the bundle does not hold the key")
		}
	})
	t.Run("the public half of an SSH key is a line for authorized_keys", func(t *testing.T) {
		secret := w.generate(m, secretsmanager.Key{Name: "ssh", RSABits: 2048, SSH: true})
		if public := string(secret.Data["id_rsa.pub"]); !strings.HasPrefix(public, "ssh-rsa AAAAB3NzaC1yc2E") {
			t.Errorf("public key is %q", public)
		}
		if m.Bundle("ssh") != nil {
			t.Error("there is a bundle")
		}
	})
	t.Run("Persisted lists what must survive", func(t *testing.T) {
		w.generate(m, secretsmanager.EncryptionKey{Name: "encryption", Bytes: 32}, secretsmanager.Persist())
		persisted := m.Persisted()
		if len(persisted) != 1 || persisted[0].Labels["name"] != "encryption" {
			t.Errorf("persisted: %v", persisted)
		}
	})
	t.Run("MIG-6 a run that does not generate a secret that must survive lists it as it was generated last", func(t *testing.T) {
		next := w.manager()
		var names []string
		for _, secret := range next.Persisted() {
			names = append(names, secret.Labels["name"])
		}
		if diff := cmp.Diff([]string{"encryption"}, names); diff != "" {
			t.Errorf("persisted (-want +got):\n%s", diff)
		}
		w.generate(next, secretsmanager.EncryptionKey{Name: "encryption", Bytes: 16}, secretsmanager.Persist())
		if persisted := next.Persisted(); len(persisted) != 1 || len(persisted[0].Data["secret"]) == 0 || persisted[0] != next.Current("encryption") {
			t.Errorf("another one than the current one is listed: %v", persisted)
		}
	})
	t.Run("MIG-6 a secret of a version that did not mark it is marked", func(t *testing.T) {
		first := w.generate(w.manager(), secretsmanager.Key{Name: "later"}, keep)
		second := w.generate(w.manager(), secretsmanager.Key{Name: "later"}, keep, secretsmanager.Persist())
		stored := &corev1.Secret{}
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(second), stored); err != nil || stored.UID != first.UID || stored.Labels["persist"] != "true" {
			t.Errorf("%v, labels %v", err, stored.Labels)
		}
	})
}

func TestListFailure(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := secretsmanager.New(ctx, secretsmanager.Settings{Reader: cluster, Namespace: "x", Identity: "test"}); err == nil {
		t.Error("no error although the secrets cannot be listed")
	}
}
