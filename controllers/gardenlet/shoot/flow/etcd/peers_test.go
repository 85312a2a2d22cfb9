package etcd

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// TestTrustPeers is about members that are restarted one after the other while their authority is rotated.
func TestTrustPeers(t *testing.T) {
	const namespace = "shoot--sky--sun"
	for name, tc := range map[string]struct {
		exists   bool
		replicas int32
		silent   bool // the members are not ready
		changes  bool
	}{
		"CAR-11 members get the authorities before their certificates": {exists: true, replicas: 3, changes: true},
		"CAR-11 a member that others are about to join gets them, too": {exists: true, replicas: 1, changes: true},
		"CAR-11 certificates wait for members that restart":            {exists: true, replicas: 3, silent: true, changes: true},
		"an etcd that sleeps is left alone":                            {exists: true},
		"an etcd that is made has nothing to trust":                    {},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, druidv1alpha1.AddToScheme} {
				if err := add(scheme); err != nil {
					t.Fatal(err)
				}
			}
			patched := 0
			builder := fake.NewClientBuilder().WithScheme(scheme)
			for _, role := range roles {
				existing := object(role, namespace)
				existing.Generation = 1
				existing.Spec.Replicas = tc.replicas
				existing.Spec.Etcd.PeerUrlTLS = &druidv1alpha1.TLSConfig{ServerTLSSecretRef: corev1.SecretReference{Name: "former"}}
				existing.Spec.Etcd.PeerUrlTLS.TLSCASecretRef.Name = "former-ca"
				existing.Status = druidv1alpha1.EtcdStatus{ObservedGeneration: ptr.To[int64](1), Ready: ptr.To(tc.replicas > 0 && !tc.silent)}
				if tc.exists {
					builder = builder.WithObjects(existing)
				}
			}
			// The druid takes up each request at once.
			cluster := builder.WithInterceptorFuncs(interceptor.Funcs{
				Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
					if err := c.Patch(ctx, object, patch, options...); err != nil {
						return err
					}
					patched++
					taken := object.DeepCopyObject().(client.Object)
					taken.SetAnnotations(nil)
					return c.Update(ctx, taken)
				},
			}).Build()
			sm, err := secretsmanager.New(t.Context(), secretsmanager.Settings{
				Reader: cluster, Writer: cluster, Clock: clocktesting.NewFakePassiveClock(time.Unix(5000, 0)), Namespace: namespace, Identity: "test",
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := sm.Generate(t.Context(), secretsmanager.Certificate{Name: constants.SecretNameCAETCDPeer, CommonName: "etcd-peer", Usage: secretsmanager.CA}); err != nil {
				t.Fatal(err)
			}
			etcds := Etcd{Replicas: 3, Members: 3, Space: seed.Space{Name: namespace, Client: cluster}}
			limit := 10 * time.Second
			if tc.silent {
				limit = 100 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			if tc.silent {
				if err := etcds.TrustPeers(ctx, credentials.Made{Manager: sm}); err == nil {
					t.Error("nothing waits for members that are not ready")
				}
				return
			}
			for range 2 { // the second time, there is nothing to do
				if err := etcds.TrustPeers(ctx, credentials.Made{Manager: sm}); err != nil {
					t.Fatal(err)
				}
			}
			want := 0
			if tc.changes {
				want = len(roles)
			}
			if patched != want {
				t.Errorf("%d etcds were changed, want %d", patched, want)
			}
			if !tc.changes {
				return
			}
			for _, role := range roles {
				found := object(role, namespace)
				if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(found), found); err != nil {
					t.Fatal(err)
				}
				tls := found.Spec.Etcd.PeerUrlTLS
				if tls.TLSCASecretRef.Name != sm.Bundle(constants.SecretNameCAETCDPeer).Name || tls.ServerTLSSecretRef.Name != "former" {
					t.Errorf("peers of %s have %+v", found.Name, tls)
				}
			}
		})
	}
}
