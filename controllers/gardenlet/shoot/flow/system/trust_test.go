package system

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
)

func TestWithdrawTrust(t *testing.T) {
	inSeed := fake.NewClientBuilder().Build()
	manager, err := secretsmanager.New(t.Context(), secretsmanager.Settings{
		Reader: inSeed, Writer: inSeed, Clock: clocktesting.NewFakePassiveClock(time.Unix(5000, 0)), Namespace: "shoot--sky--sun", Identity: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ca-client", "ca-front-proxy"} {
		if _, err := manager.Generate(t.Context(), secretsmanager.Certificate{Name: name, CommonName: name, Usage: secretsmanager.CA}); err != nil {
			t.Fatal(err)
		}
	}
	trust := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "extension-apiserver-authentication", Namespace: "kube-system"},
		Data:       map[string]string{"client-ca-file": "old", "requestheader-client-ca-file": "old", "requestheader-allowed-names": `["system:kube-aggregator"]`},
	}
	shoot := fake.NewClientBuilder().WithObjects(trust).Build()
	if err := (Components{}).WithdrawTrust(t.Context(), credentials.Made{Manager: manager}, connection.Connection{Client: shoot}); err != nil {
		t.Fatal(err)
	}
	if err := shoot.Get(t.Context(), client.ObjectKeyFromObject(trust), trust); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"client-ca-file":               string(manager.Bundle("ca-client").Data["bundle.crt"]),
		"requestheader-client-ca-file": string(manager.Bundle("ca-front-proxy").Data["bundle.crt"]),
		"requestheader-allowed-names":  `["system:kube-aggregator"]`,
	} {
		if trust.Data[key] != want {
			t.Errorf("CAR-12 %s is %q, want %q", key, trust.Data[key], want)
		}
	}
}
