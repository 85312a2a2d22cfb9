package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/local"
)

// eventually waits until check is true.
func eventually(t *testing.T, what string, check func() bool) {
	t.Helper()
	environment.Until(t, what, func(context.Context) error {
		if !check() {
			return errors.New("it is not so")
		}
		return nil
	})
}

// One manager for all of these, since the names of its controllers are taken once per process.
func TestManager(t *testing.T) {
	zone, dir := newZone(), t.TempDir()
	published := publishedBefore(t)
	mgr, err := ctrl.NewManager(restConfig, ctrl.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatalf("make manager: %v", err)
	}
	cfg := local.Config{
		Zone: zone, BackupDir: filepath.Join(dir, "backups"), VolumeDir: filepath.Join(dir, "volumes"), Resolver: zone, Webhook: webhook.Way{},
		Network: networkManifest, ShootConfig: func([]byte) (*rest.Config, error) { return rest.CopyConfig(restConfig), nil }, // the seed is its own shoot
	}
	if err := local.AddToManager(mgr, cfg); err != nil {
		t.Fatalf("add provider: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("manager ended: %v", err)
		}
	})

	t.Run("EXT-8 publishes records again after a restart", func(t *testing.T) {
		eventually(t, "the record is in the zone", func() bool { return zone.has(published.Spec.Name, "A") })
	})
	t.Run("EXT-1 a permanent error tells its codes, EXT-3 a new request clears it", faultAndCure)
	t.Run("gives a claim a directory and takes it back", func(t *testing.T) { volumes(t, cfg.VolumeDir) })
	t.Run("MIG-14 MIG-26 acts for shoots of its seed only", func(t *testing.T) { ownedElsewhere(t, zone) })
	t.Run("EXT-12 gives changed credentials to machine classes at once", changedCredentials)
	t.Run("EXT-17 EXT-10 adds to control planes and machines of its shoots what it knows", additions)
	t.Run("EXT-24 serves a webhook for the objects of its shoots", shootWebhooks)
	t.Run("NWX-1 NWX-2 NWX-3 NWX-4 makes the network of a shoot and looks after it", networks)
	t.Run("GLT-30 makes the default storage class of the seed", func(t *testing.T) {
		eventually(t, "the storage class exists", func() bool { return found(t.Context(), &storagev1.StorageClass{}, "", "default") })
	})
}

// publishedBefore makes a record as a former process left it: done, and nobody asks for anything.
func publishedBefore(t *testing.T) *extensionsv1alpha1.DNSRecord {
	t.Helper()
	record := newDNSRecord()
	record.Name, record.Spec.Name = "published", "published.local.gardener.cloud"
	record.Finalizers = []string{"extensions.gardener.cloud/dnsrecord"}
	if err := seed.Create(t.Context(), record); err != nil {
		t.Fatalf("create record: %v", err)
	}
	record.Status.LastOperation = &gardencorev1beta1.LastOperation{
		Type: "Create", State: "Succeeded", Progress: 100, LastUpdateTime: metav1.Now(), Description: "done",
	}
	record.Status.ObservedGeneration = record.Generation
	if err := seed.Status().Update(t.Context(), record); err != nil {
		t.Fatalf("update status: %v", err)
	}
	return record
}

func faultAndCure(t *testing.T) {
	infra := newInfrastructure()
	infra.Name = "faulty"
	infra.Annotations = map[string]string{"gardener.cloud/operation": "reconcile"}
	infra.Spec.ProviderConfig = &runtime.RawExtension{Raw: []byte(`{"fault":{"message":"no networks left","codes":["ERR_INFRA_QUOTA_EXCEEDED"],"permanent":true}}`)}
	if err := seed.Create(t.Context(), infra); err != nil {
		t.Fatalf("create: %v", err)
	}
	state := func() gardencorev1beta1.LastOperationState {
		if err := seed.Get(t.Context(), client.ObjectKeyFromObject(infra), infra); err != nil {
			t.Fatalf("read: %v", err)
		}
		if infra.Status.LastOperation == nil {
			return ""
		}
		return infra.Status.LastOperation.State
	}
	eventually(t, "it has failed", func() bool { return state() == gardencorev1beta1.LastOperationStateError })
	if diff := cmp.Diff([]gardencorev1beta1.ErrorCode{"ERR_INFRA_QUOTA_EXCEEDED"}, infra.Status.LastError.Codes); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}

	before := infra.DeepCopy()
	infra.Spec.ProviderConfig = nil
	infra.Annotations = map[string]string{"gardener.cloud/operation": "reconcile"}
	if err := seed.Patch(t.Context(), infra, client.MergeFrom(before)); err != nil {
		t.Fatalf("cure: %v", err)
	}
	eventually(t, "it has succeeded", func() bool { return state() == gardencorev1beta1.LastOperationStateSucceeded })
	if infra.Status.LastError != nil {
		t.Errorf("last error is still %+v", infra.Status.LastError)
	}
	if infra.Status.NodesCIDR == nil || *infra.Status.NodesCIDR != "10.250.0.0/16" {
		t.Errorf("EXT-7 nodes network is %v, want that of the shoot", infra.Status.NodesCIDR)
	}
}

func volumes(t *testing.T, dir string) {
	class := "default"
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class,
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
	if err := seed.Create(t.Context(), claim); err != nil {
		t.Fatalf("create claim: %v", err)
	}
	pv := &corev1.PersistentVolume{}
	eventually(t, "there is a volume", func() bool { return found(t.Context(), pv, "", "pvc-"+string(claim.UID)) })
	if matches, _ := filepath.Glob(filepath.Join(dir, namespace, "data-*")); len(matches) != 1 {
		t.Errorf("directories of the volume are %v", matches)
	}
	pv.Status.Phase = corev1.VolumeReleased // as kube-controller-manager does when the claim is gone
	if err := seed.Status().Update(t.Context(), pv); err != nil {
		t.Fatalf("release volume: %v", err)
	}
	eventually(t, "the directory is gone", func() bool {
		_, err := os.Stat(filepath.Join(dir, namespace))
		return os.IsNotExist(err)
	})
}
