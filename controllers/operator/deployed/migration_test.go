package deployed

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
)

// donate makes the secrets of another installation, and labels copies of them for the new one. It returns their data by the name of the configuration.
func (b *bench) donate() map[string]map[string][]byte {
	b.Helper()
	donor, err := secretsmanager.New(b.Context(), secretsmanager.Settings{Reader: b.Client, Writer: b.Client, Clock: b.inputs.Clock, Namespace: "elsewhere", Identity: "another"})
	if err != nil {
		b.Fatal(err)
	}
	configs := map[string]secretsmanager.Config{
		"service-account-key":                    secretsmanager.Key{Name: "service-account-key"},
		"kube-apiserver-etcd-encryption-key":     secretsmanager.EncryptionKey{Name: "kube-apiserver-etcd-encryption-key", Bytes: 32},
		"gardener-apiserver-etcd-encryption-key": secretsmanager.EncryptionKey{Name: "gardener-apiserver-etcd-encryption-key", Bytes: 32},
	}
	for _, name := range []string{"ca", "ca-client", "ca-front-proxy"} {
		configs[name] = secretsmanager.Certificate{Name: name, CommonName: "of-another-" + name, Usage: secretsmanager.CA}
	}
	out := map[string]map[string][]byte{}
	for name, config := range configs {
		secret, err := donor.Generate(b.Context(), config)
		if err != nil {
			b.Fatal(err)
		}
		out[name] = secret.Data
		b.create("migrated-"+name, name, secret.Data)
	}
	return out
}

func (b *bench) create(name, config string, data map[string][]byte) {
	b.Helper()
	labelled := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"secrets-manager-use-data-for-name": config}}, Data: data}
	if err := b.Create(b.Context(), labelled); err != nil {
		b.Fatal(err)
	}
}

func TestMigration(t *testing.T) {
	t.Run("OPR-31 a deployed Garden takes over authorities and keys of another installation", func(t *testing.T) {
		b := newBench(t)
		donated := b.donate()
		for range 2 {
			b.deploy(aGarden())
		}
		for name, want := range donated {
			list := &corev1.SecretList{}
			if err := b.List(t.Context(), list, client.InNamespace(namespace), client.MatchingLabels{secretsmanager.LabelManagerIdentity: "gardener-operator", secretsmanager.LabelName: name}); err != nil {
				t.Fatal(err)
			}
			if len(list.Items) != 1 || cmp.Diff(want, list.Items[0].Data) != "" {
				t.Errorf("%s: %d secrets, or other data", name, len(list.Items))
			}
		}
		if document := string(b.file(apiServer, "/etc/kubernetes/encryption", "encryption-configuration.yaml")); !strings.Contains(document, string(donated["kube-apiserver-etcd-encryption-key"]["secret"])) {
			t.Error("the API server encrypts with another key")
		}
		for _, name := range []string{"ca", "ca-client"} {
			if got := parse(t, donated[name]["ca.crt"]).Subject.CommonName; got != "of-another-"+name {
				t.Errorf("subject %q", got)
			}
		}
	})
	t.Run("OPR-31 a Secret that is no authority is refused, and no etcd is made", func(t *testing.T) {
		b := newBench(t)
		b.create("wrong", "ca", map[string][]byte{"ca.crt": []byte("x"), "ca.key": []byte("y")})
		err := b.host.Deploy(t.Context(), aGarden(), host.ETCD)
		if err == nil || !strings.Contains(err.Error(), `secret "wrong" in namespace "garden" has the label secrets-manager-use-data-for-name=ca`) {
			t.Fatal(err)
		}
		if slices.Contains(b.secrets(), "ca") {
			t.Error("another authority was made instead")
		}
	})
}

// secrets are the names of the Secrets of the namespace.
func (b *bench) secrets() (names []string) {
	b.Helper()
	list := &corev1.SecretList{}
	if err := b.List(b.Context(), list, client.InNamespace(namespace)); err != nil {
		b.Fatal(err)
	}
	for _, secret := range list.Items {
		names = append(names, secret.Name)
	}
	return names
}
