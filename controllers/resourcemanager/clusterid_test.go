package resourcemanager_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// TestClusterID runs one resource manager per value of the flag, each for a class of its own.
func TestClusterID(t *testing.T) {
	run := func(t *testing.T, name, id string) error {
		t.Helper()
		mgr, err := manager.New(env.Config, manager.Options{Scheme: target.Scheme(), Metrics: metricsserver.Options{BindAddress: "0"}})
		if err != nil {
			t.Fatal(err)
		}
		err = resourcemanager.AddToManager(mgr, resourcemanager.Config{
			Name: name, Class: name, ClusterID: id, SyncPeriod: time.Second, TokenRequestor: true, TokenRequestorClass: name, Namespaces: []string{"other"},
		})
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); _ = mgr.Start(ctx) }()
		t.Cleanup(func() { cancel(); <-ended })
		return nil
	}
	origin := func(t *testing.T, name, want string) {
		t.Helper()
		create(t, name, configMap(name, "x"), func(r *resourcesv1alpha1.ManagedResource) { r.Namespace, r.Spec.Class = "other", ptr.To(name) })
		eventually(t, "origin", func(ctx context.Context) error {
			object, err := readConfigMap(ctx, name)
			if err == nil && object.Annotations["resources.gardener.cloud/origin"] != want {
				err = fmt.Errorf("origin = %q, want %q", object.Annotations["resources.gardener.cloud/origin"], want)
			}
			return err
		})
	}
	t.Run("GRM-20 the identity of the cluster must exist when it is asked for", func(t *testing.T) {
		if err := run(t, "id-missing", resourcemanager.ClusterIDFromCluster); err == nil {
			t.Error("no error without a cluster identity")
		}
	})
	t.Run("GRM-20 no identity is fine where none is there", func(t *testing.T) {
		if err := run(t, "id-default", resourcemanager.ClusterIDOrNone); err != nil {
			t.Fatal(err)
		}
		origin(t, "id-default", "other/id-default")
	})
	t.Run("GRM-19 GRM-20 without an identity the origin has none", func(t *testing.T) {
		if err := run(t, "id-none", ""); err != nil {
			t.Fatal(err)
		}
		origin(t, "id-none", "other/id-none")
	})
	t.Run("GRM-19 GRM-20 a literal identity", func(t *testing.T) {
		if err := run(t, "id-literal", "literal"); err != nil {
			t.Fatal(err)
		}
		origin(t, "id-literal", "literal:other/id-literal")
	})
	identity := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "cluster-identity"}, Data: map[string]string{"cluster-identity": "mine"}}
	if err := target.Create(t.Context(), identity); err != nil {
		t.Fatal(err)
	}
	t.Run("GRM-20 the identity of the cluster", func(t *testing.T) {
		if err := run(t, "id-cluster", resourcemanager.ClusterIDFromCluster); err != nil {
			t.Fatal(err)
		}
		origin(t, "id-cluster", "mine:other/id-cluster")
	})
	t.Run("GRM-40 token secrets of other namespaces are not filled", func(t *testing.T) {
		if err := run(t, "id-garden", ""); err != nil {
			t.Fatal(err)
		}
		var secrets []*corev1.Secret
		for _, ns := range []string{"other", hooked} {
			secrets = append(secrets, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
				Namespace: ns, Name: "only-garden", Labels: map[string]string{"resources.gardener.cloud/purpose": "token-requestor", "resources.gardener.cloud/class": "id-garden"},
				Annotations: map[string]string{"serviceaccount.resources.gardener.cloud/name": "only-garden", "serviceaccount.resources.gardener.cloud/namespace": ns},
			}})
		}
		for _, secret := range secrets {
			if err := target.Create(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
		}
		hasToken := func(secret *corev1.Secret, want bool) func(context.Context) error {
			return func(ctx context.Context) error {
				err := target.Get(ctx, client.ObjectKeyFromObject(secret), secret)
				if err == nil && (len(secret.Data["token"]) > 0) != want {
					err = fmt.Errorf("token = %q", secret.Data["token"])
				}
				return err
			}
		}
		eventually(t, "in its namespace", hasToken(secrets[0], true))
		always(t, "elsewhere", hasToken(secrets[1], false))
	})
}
