package integration

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// kubeconfigOf makes a kubeconfig that needs no files.
func kubeconfigOf(t *testing.T, config *rest.Config) []byte {
	t.Helper()
	config = rest.CopyConfig(config)
	if err := rest.LoadTLSFiles(config); err != nil {
		t.Fatal(err)
	}
	raw, err := clientcmd.Write(clientcmdapi.Config{
		CurrentContext: "c",
		Contexts:       map[string]*clientcmdapi.Context{"c": {Cluster: "c", AuthInfo: "u"}},
		Clusters:       map[string]*clientcmdapi.Cluster{"c": {Server: config.Host, CertificateAuthorityData: config.CAData, TLSServerName: config.ServerName}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"u": {ClientCertificateData: config.CertData, ClientKeyData: config.KeyData, Token: config.BearerToken}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestPlant takes the garden's own cluster as the one from elsewhere.
func TestPlant(t *testing.T) {
	t.Parallel()
	_, namespace := newProject(t, "plants")
	plant := create(t, &gardencorev1beta1.Plant{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "p"}, Spec: gardencorev1beta1.PlantSpec{SecretRef: corev1.LocalObjectReference{Name: "access"}},
	})
	is := func(kind gardencorev1beta1.ConditionType, status gardencorev1beta1.ConditionStatus, message string) func(context.Context) error {
		return func(ctx context.Context) error {
			if _, err := get(ctx, plant); err != nil {
				return err
			}
			for _, c := range plant.Status.Conditions {
				if c.Type == kind && c.Status == status && strings.Contains(c.Message, message) {
					return nil
				}
			}
			return fmt.Errorf("%s is not %s: %+v", kind, status, plant.Status.Conditions)
		}
	}
	t.Run("API-30 GCM-32 a Secret that does not exist is reported", func(t *testing.T) {
		eventually(t, "unknown", is(gardencorev1beta1.PlantAPIServerAvailable, gardencorev1beta1.ConditionUnknown, `secret "access" does not exist`))
	})
	secret := create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "access"}, Data: map[string][]byte{"kubeconfig": []byte("x")}})
	t.Run("API-30 GCM-32 one without a kubeconfig, too", func(t *testing.T) {
		eventually(t, "unknown", is(gardencorev1beta1.PlantAPIServerAvailable, gardencorev1beta1.ConditionUnknown, "no valid kubeconfig"))
	})
	node := create(t, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "plant", Labels: map[string]string{corev1.LabelTopologyRegion: "meadow"}}, Spec: corev1.NodeSpec{ProviderID: "garden:///plant"},
	})
	t.Run("API-30 GCM-32 a cluster that answers is described", func(t *testing.T) {
		if _, err := get(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		before := secret.DeepCopy()
		secret.Data["kubeconfig"] = kubeconfigOf(t, access)
		if err := garden.Patch(t.Context(), secret, mergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "available", is(gardencorev1beta1.PlantAPIServerAvailable, gardencorev1beta1.ConditionTrue, ""))
		info := plant.Status.ClusterInfo
		if info == nil || info.Cloud.Type != "garden" || info.Cloud.Region != "meadow" || !strings.HasPrefix(info.Kubernetes.Version, "1.") {
			t.Errorf("cluster info %+v", info)
		}
	})
	t.Run("API-30 GCM-32 a node that is not ready is reported, and that it has become ready", func(t *testing.T) {
		eventually(t, "false", is(gardencorev1beta1.PlantEveryNodeReady, gardencorev1beta1.ConditionFalse, "plant"))
		merge(t, node, `{"status":{"conditions":[{"type":"Ready","status":"True","reason":"x","message":"x"}]}}`, "status")
		eventually(t, "true", is(gardencorev1beta1.PlantEveryNodeReady, gardencorev1beta1.ConditionTrue, ""))
	})
	t.Run("API-30 the Secret is protected until the Plant needs it no more", func(t *testing.T) {
		if err := garden.Delete(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		if _, err := get(t.Context(), secret); err != nil || len(secret.Finalizers) == 0 {
			t.Fatalf("finalizers %v, %v", secret.Finalizers, err)
		}
		merge(t, plant, `{"spec":{"secretRef":{"name":"other"}}}`)
		eventually(t, "secret", isGone(secret))
		eventually(t, "unknown", is(gardencorev1beta1.PlantAPIServerAvailable, gardencorev1beta1.ConditionUnknown, "does not exist"))
		if plant.Status.ClusterInfo == nil || plant.Status.ClusterInfo.Cloud.Type != "garden" {
			t.Errorf("what was known is forgotten: %+v", plant.Status.ClusterInfo)
		}
	})
	t.Run("API-30 a deleted Plant releases its Secret", func(t *testing.T) {
		other := create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "other"}})
		eventually(t, "finalizer", func(ctx context.Context) error {
			if _, err := get(ctx, other); err != nil || len(other.Finalizers) == 0 {
				return fmt.Errorf("finalizers %v, %v", other.Finalizers, err)
			}
			return nil
		})
		remove(t, plant)
		eventually(t, "plant", isGone(plant))
		if _, err := get(t.Context(), other); err != nil || len(other.Finalizers) > 0 {
			t.Errorf("finalizers %v, %v", other.Finalizers, err)
		}
	})
}
