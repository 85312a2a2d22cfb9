package encryption

import (
	"context"
	"crypto/aes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/storage/value"
	encryptaes "k8s.io/apiserver/pkg/storage/value/encrypt/aes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// Keys of the API server of the tests, which encrypts with the new one, as after the first half of a rotation's first phase.
const (
	newKey = "01234567890123456789012345678901"
	oldKey = "abcdefghijklmnopqrstuvwxyzabcdef"
)

var (
	config  *rest.Config
	cluster client.WithWatch
	etcd    *clientv3.Client
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "encryption-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	file := filepath.Join(dir, "encryption.yaml")
	document := fmt.Sprintf(`apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - aescbc:
      keys:
      - {name: new, secret: %s}
      - {name: old, secret: %s}
  - identity: {}
`, base64.StdEncoding.EncodeToString([]byte(newKey)), base64.StdEncoding.EncodeToString([]byte(oldKey)))
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testenv.Main(m, testenv.Options{APIServerArgs: []string{"--encryption-provider-config=" + file}}, func(env *testenv.Env) {
		_ = os.RemoveAll(dir) // the server has read it
		if err := connect(env); err != nil {
			fmt.Fprintln(os.Stderr, err)
			env.Stop()
			os.Exit(1)
		}
	})
}

func connect(env *testenv.Env) (err error) {
	config = env.Config
	if cluster, err = client.NewWithWatch(config, client.Options{}); err != nil {
		return err
	}
	tls, err := rest.TLSConfigFor(&rest.Config{TLSClientConfig: rest.TLSClientConfig{
		CAFile: filepath.Join(env.Dir, "ca.crt"), CertFile: filepath.Join(env.Dir, "admin.crt"), KeyFile: filepath.Join(env.Dir, "admin.key"),
	}})
	if err != nil {
		return err
	}
	etcd, err = clientv3.New(clientv3.Config{Endpoints: []string{env.Etcd}, TLS: tls, DialTimeout: 5 * time.Second, Logger: zap.NewNop()})
	return err
}

// secrets is a namespace with Secrets that are stored with the old key.
type secrets struct {
	t         *testing.T
	namespace string
}

func newSecrets(t *testing.T, count int, change ...func(*corev1.Secret)) secrets {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "rewrite-"}}
	if err := cluster.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	s := secrets{t: t, namespace: namespace.Name}
	t.Cleanup(func() { // a rewriter meets the secrets of all namespaces
		if err := cluster.DeleteAllOf(context.Background(), &corev1.Secret{}, client.InNamespace(s.namespace)); err != nil {
			t.Error(err)
		}
	})
	for i := range count {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: fmt.Sprint("secret-", i)}, StringData: map[string]string{"number": fmt.Sprint(i)}}
		for _, f := range change {
			f(secret)
		}
		if err := cluster.Create(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		s.encryptWithOldKey(secret.Name)
	}
	return s
}

func (s secrets) path(name string) string { return "/registry/secrets/" + s.namespace + "/" + name }

// encryptWithOldKey replaces what etcd stores.
func (s secrets) encryptWithOldKey(name string) {
	s.t.Helper()
	ctx, path := s.t.Context(), s.path(name)
	raw := s.stored(name)
	const prefix = "k8s:enc:aescbc:v1:"
	cipherText, found := strings.CutPrefix(raw, prefix+"new:")
	if !found {
		s.t.Fatalf("%s is stored as %.30q", path, raw)
	}
	associated := value.DefaultContext(path)
	plain, _, err := transformer(s.t, newKey).TransformFromStorage(ctx, []byte(cipherText), associated)
	if err != nil {
		s.t.Fatal(err)
	}
	again, err := transformer(s.t, oldKey).TransformToStorage(ctx, plain, associated)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := etcd.Put(ctx, path, prefix+"old:"+string(again)); err != nil {
		s.t.Fatal(err)
	}
}

func transformer(t *testing.T, key string) value.Transformer {
	t.Helper()
	block, err := aes.NewCipher([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	return encryptaes.NewCBCTransformer(block)
}

func (s secrets) stored(name string) string {
	s.t.Helper()
	answer, err := etcd.Get(s.t.Context(), s.path(name))
	if err != nil || len(answer.Kvs) != 1 {
		s.t.Fatalf("read %s from etcd: %v, %d values", s.path(name), err, len(answer.Kvs))
	}
	return string(answer.Kvs[0].Value)
}

// withOldKey counts the Secrets that only the old key decrypts.
func (s secrets) withOldKey() int {
	s.t.Helper()
	answer, err := etcd.Get(s.t.Context(), s.path(""), clientv3.WithPrefix())
	if err != nil {
		s.t.Fatal(err)
	}
	count := 0
	for _, one := range answer.Kvs {
		if strings.HasPrefix(string(one.Value), "k8s:enc:aescbc:v1:old:") {
			count++
		}
	}
	return count
}

// labelled counts the Secrets with the label.
func (s secrets) labelled(value string) int {
	s.t.Helper()
	list := &corev1.SecretList{}
	if err := cluster.List(s.t.Context(), list, client.InNamespace(s.namespace), client.MatchingLabels{"credentials.gardener.cloud/key-name": value}); err != nil {
		s.t.Fatal(err)
	}
	return len(list.Items)
}
