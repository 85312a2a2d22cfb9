package credentials

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
)

const (
	namespace = "shoot--sky--sun"
	renewAt   = "serviceaccount.resources.gardener.cloud/token-renew-timestamp"
	keyName   = "credentials.gardener.cloud/key-name"
)

func withToken(name, class string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name: name, Namespace: namespace, Annotations: map[string]string{renewAt: "before"},
		Labels: map[string]string{"resources.gardener.cloud/purpose": "token-requestor", "resources.gardener.cloud/class": class},
	}}
}

// madeOf returns generated credentials in a cluster.
func madeOf(t *testing.T, c client.Client, rotations map[string]time.Time, configs ...secretsmanager.Config) Made {
	t.Helper()
	manager, err := secretsmanager.New(t.Context(), secretsmanager.Settings{
		Reader: c, Writer: c, Clock: clocktesting.NewFakePassiveClock(time.Unix(5000, 0)), Namespace: namespace, Identity: "test", Rotations: rotations,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range configs {
		if _, err := manager.Generate(t.Context(), config, secretsmanager.Rotate(secretsmanager.KeepOld)); err != nil {
			t.Fatal(err)
		}
	}
	return Made{Manager: manager}
}

func TestRenewTokens(t *testing.T) {
	renewing := true // a resource manager runs
	cluster := interceptor.NewClient(fake.NewClientBuilder().WithObjects(withToken("one", "shoot"), withToken("two", "shoot"), withToken("garden", "garden")).Build(), interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if renewing {
				renew(t, c)
			}
			return c.List(ctx, list, opts...)
		},
	})
	c := Credentials{Space: seed.Space{Name: namespace, Client: cluster}}
	made := madeOf(t, cluster, nil, secretsmanager.Key{Name: "service-account-key"})
	key := made.Current("service-account-key").Name
	annotation := func(name string) (string, string) {
		t.Helper()
		secret := &corev1.Secret{}
		if err := cluster.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, secret); err != nil {
			t.Fatal(err)
		}
		return secret.Annotations[renewAt], secret.Labels[keyName]
	}
	t.Run("CAR-14 tokens are not renewed as long as no resource manager does it", func(t *testing.T) {
		renewing = false
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.RenewTokens(ctx, made); err == nil || !strings.Contains(err.Error(), "has not been renewed") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("CAR-14 every token of the shoot is renewed", func(t *testing.T) {
		renewing = true
		if err := c.RenewTokens(t.Context(), made); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"one", "two"} {
			if at, label := annotation(name); at != "after" || label != key {
				t.Errorf("%s is renewed at %q, its key is %q", name, at, label)
			}
		}
		if at, label := annotation("garden"); at != "before" || label != "" {
			t.Errorf("a token for the garden is renewed at %q, its key is %q", at, label)
		}
	})
	t.Run("CAR-5 they are renewed once per rotation", func(t *testing.T) {
		renewing = false
		if err := c.RenewTokens(t.Context(), made); err != nil {
			t.Error(err)
		}
	})
}

// renew does the work of a resource manager.
func renew(t *testing.T, c client.Client) {
	secrets := &corev1.SecretList{}
	if err := c.List(t.Context(), secrets, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets.Items {
		if secret.Labels["resources.gardener.cloud/class"] == "shoot" && secret.Annotations[renewAt] == "" {
			metav1.SetMetaDataAnnotation(&secret.ObjectMeta, renewAt, "after")
			if err := c.Update(t.Context(), &secret); err != nil {
				t.Fatal(err)
			}
		}
	}
}
