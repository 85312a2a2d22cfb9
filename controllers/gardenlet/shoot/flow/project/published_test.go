package project

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

func TestPublishKubeconfig(t *testing.T) {
	legacy := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "sun.kubeconfig", Namespace: "garden-sky"},
		Data:       map[string][]byte{"kubeconfig": []byte("client-certificate-data: b2xk"), "kubecfg.crt": []byte("old"), "kubecfg.key": []byte("old"), "ca.crt": []byte("old")},
	}
	garden := fake.NewClientBuilder().WithObjects(legacy).Build()
	manager, err := secretsmanager.New(t.Context(), secretsmanager.Settings{
		Reader: garden, Writer: garden, Clock: clocktesting.NewFakePassiveClock(time.Unix(5000, 0)), Namespace: "shoot--sky--sun", Identity: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range []secretsmanager.Config{
		secretsmanager.Certificate{Name: constants.SecretNameCACluster, CommonName: "kubernetes", Usage: secretsmanager.CA},
		secretsmanager.StaticTokens{Name: constants.SecretNameKubeAPIServerStaticToken, Tokens: []secretsmanager.StaticToken{{Username: kubeapiserver.ClusterAdmin, UserID: "1"}}},
	} {
		if _, err := manager.Generate(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Name: "sun", Namespace: "garden-sky", UID: "1"}}
	project := Project{Shoot: shoot, TechnicalID: "shoot--sky--sun", Client: garden, Reader: garden}
	publish := func() (*corev1.Secret, error) {
		if err := project.PublishKubeconfig(context.Background(), manager, "https://api.sun.example.org"); err != nil {
			t.Fatal(err)
		}
		secret := &corev1.Secret{}
		return secret, garden.Get(t.Context(), client.ObjectKeyFromObject(legacy), secret)
	}

	t.Run("CAR-13 a kubeconfig with a client certificate becomes one with a token, and no certificate is left", func(t *testing.T) {
		shoot.Spec.Kubernetes.EnableStaticTokenKubeconfig = ptr.To(true)
		secret, err := publish()
		if err != nil {
			t.Fatal(err)
		}
		if keys := slices.Sorted(maps.Keys(secret.Data)); !slices.Equal(keys, []string{"ca.crt", "kubeconfig", "token"}) {
			t.Errorf("the Secret has %v", keys)
		}
		if content := string(secret.Data["kubeconfig"]); strings.Contains(content, "client-certificate") || !strings.Contains(content, string(secret.Data["token"])) {
			t.Errorf("kubeconfig without its token:\n%s", content)
		}
	})
	t.Run("CAR-13 a shoot without static token loses a kubeconfig of any kind", func(t *testing.T) {
		shoot.Spec.Kubernetes.EnableStaticTokenKubeconfig = ptr.To(false)
		if _, err := publish(); client.IgnoreNotFound(err) != nil || err == nil {
			t.Errorf("the Secret is still there: %v", err)
		}
	})
}
