package local_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/backup"
	"github.com/gardener-up/gardener-up/local/bastion"
	"github.com/gardener-up/gardener-up/local/containerruntime"
	"github.com/gardener-up/gardener-up/local/controlplane"
	"github.com/gardener-up/gardener-up/local/dns"
	"github.com/gardener-up/gardener-up/local/extension"
	"github.com/gardener-up/gardener-up/local/infrastructure"
	"github.com/gardener-up/gardener-up/local/network"
	"github.com/gardener-up/gardener-up/local/operatingsystemconfig"
	"github.com/gardener-up/gardener-up/local/registrycache"
	"github.com/gardener-up/gardener-up/local/worker"
	"github.com/gardener-up/gardener-up/providers/contracttest"
	"github.com/gardener-up/gardener-up/providers/memory"
)

func TestContract(t *testing.T) {
	zone, dir := newZone(), t.TempDir()
	if err := seed.Create(t.Context(), &corev1.Secret{ObjectMeta: meta(credentials.Name)}); err != nil {
		t.Fatal(err)
	}
	store := &backup.Store{Client: seed, Dir: dir}
	exists := func(path ...string) bool {
		_, err := os.Stat(filepath.Join(append([]string{dir}, path...)...))
		return err == nil
	}

	t.Run("EXT-7 EXT-19 Infrastructure", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.Infrastructure]{
			Client: seed, Actuator: infrastructure.New(false), New: newInfrastructure, SavesState: true,
		})
	})
	t.Run("EXT-13 ControlPlane", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.ControlPlane]{
			Client: seed, Actuator: &controlplane.Actuator{Client: seed}, New: newControlPlane,
			Exists: func(ctx context.Context, cp *extensionsv1alpha1.ControlPlane) bool {
				return found(ctx, &resourcesv1alpha1.ManagedResource{}, cp.Namespace, "extension-controlplane-storageclasses")
			},
		})
	})
	t.Run("NWX-1 Network", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.Network]{
			Client: seed, Actuator: &network.Actuator{Client: seed}, New: newNetwork,
			Exists: func(ctx context.Context, n *extensionsv1alpha1.Network) bool {
				return found(ctx, &resourcesv1alpha1.ManagedResource{}, n.Namespace, "extension-networking-local")
			},
		})
	})
	t.Run("EXT-9 OperatingSystemConfig", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.OperatingSystemConfig]{
			Client: seed, Actuator: (&operatingsystemconfig.Actuator{Client: seed, Reader: seed}).Contract(), New: newOSC,
			Exists: func(ctx context.Context, osc *extensionsv1alpha1.OperatingSystemConfig) bool {
				return found(ctx, &corev1.Secret{}, osc.Namespace, "osc-result-"+osc.Name)
			},
		})
	})
	t.Run("EXT-11 EXT-19 Worker", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.Worker]{
			Client: seed, Actuator: &worker.Actuator{Client: seed, Reader: seed, Clock: time.Now}, New: newWorker, SavesState: true,
			Exists: func(ctx context.Context, w *extensionsv1alpha1.Worker) bool {
				return found(ctx, &machinev1alpha1.MachineDeployment{}, w.Namespace, w.Namespace+"-pool-z1")
			},
			Others: func(ctx context.Context, w *extensionsv1alpha1.Worker) { machinesReady(ctx, t, w.Namespace) },
		})
	})
	t.Run("EXT-8 DNSRecord", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.DNSRecord]{
			Client: seed, Actuator: dns.New(zone), New: newDNSRecord,
			Exists: func(_ context.Context, r *extensionsv1alpha1.DNSRecord) bool { return zone.has(r.Spec.Name, "A") },
		})
	})
	t.Run("EXT-26 BackupBucket", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.BackupBucket]{
			Client: seed, Actuator: store.Buckets(), New: newBackupBucket,
			Exists: func(_ context.Context, b *extensionsv1alpha1.BackupBucket) bool { return exists(b.Name) },
		})
	})
	t.Run("EXT-26 ETC-6 BackupEntry", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.BackupEntry]{
			Client: seed, Actuator: store.Entries(), New: newBackupEntry,
			Exists: func(ctx context.Context, e *extensionsv1alpha1.BackupEntry) bool {
				return exists(e.Spec.BucketName, e.Name) && found(ctx, &corev1.Secret{}, namespace, "etcd-backup")
			},
		})
	})
	t.Run("EXT-26 Bastion", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.Bastion]{
			Client: seed, Actuator: bastion.New(), New: newBastion,
		})
	})
	t.Run("EXT-26 CTR-8 ContainerRuntime", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.ContainerRuntime]{
			Client: seed, Actuator: &containerruntime.Actuator{Client: seed, Reader: seed, Machines: api.Containers}, New: newContainerRuntime,
			Exists: func(ctx context.Context, r *extensionsv1alpha1.ContainerRuntime) bool {
				return found(ctx, &resourcesv1alpha1.ManagedResource{}, r.Namespace, "extension-runtime-"+r.Name)
			},
		})
	})
	t.Run("EXT-14 EXT-19 OSC-8 Extension of type registry-cache", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.Extension]{
			Client: seed, Actuator: &registrycache.Actuator{Client: seed, Reader: seed, Machines: api.Containers}, New: newRegistryCache, SavesState: true,
			Exists: func(ctx context.Context, e *extensionsv1alpha1.Extension) bool {
				return found(ctx, &resourcesv1alpha1.ManagedResource{}, e.Namespace, "extension-registry-cache")
			},
		})
	})
	t.Run("EXT-26 Extension", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.Extension]{
			Client: seed, Actuator: extension.New(), New: newExtension,
		})
	})
}

// The provider made of maps has to keep the same contract, or tests against it would prove nothing.
func TestContractOfMemory(t *testing.T) {
	p := memory.New()
	t.Run("Infrastructure", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.Infrastructure]{
			Client: seed, Actuator: memory.Actuator[*extensionsv1alpha1.Infrastructure]{Provider: p}, New: newInfrastructure,
			Exists: func(_ context.Context, o *extensionsv1alpha1.Infrastructure) bool { return p.Exists(o) },
		})
	})
	t.Run("OperatingSystemConfig", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.OperatingSystemConfig]{
			Client: seed, Actuator: memory.Actuator[*extensionsv1alpha1.OperatingSystemConfig]{Provider: p}, New: newOSC,
			Exists: func(_ context.Context, o *extensionsv1alpha1.OperatingSystemConfig) bool { return p.Exists(o) },
		})
	})
	t.Run("Worker", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.Worker]{
			Client: seed, Actuator: memory.Actuator[*extensionsv1alpha1.Worker]{Provider: p}, New: newWorker,
			Exists: func(_ context.Context, o *extensionsv1alpha1.Worker) bool { return p.Exists(o) },
		})
	})
	t.Run("BackupBucket", func(t *testing.T) {
		contracttest.Run(t, contracttest.Subject[*extensionsv1alpha1.BackupBucket]{
			Client: seed, Actuator: memory.Actuator[*extensionsv1alpha1.BackupBucket]{Provider: p}, New: newBackupBucket,
			Exists: func(_ context.Context, o *extensionsv1alpha1.BackupBucket) bool { return p.Exists(o) },
		})
	})
}

func spec(t string) extensionsv1alpha1.DefaultSpec { return extensionsv1alpha1.DefaultSpec{Type: t} }

func meta(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace, Name: name} }

var credentials = corev1.SecretReference{Namespace: namespace, Name: "cloudprovider"}

func newInfrastructure() *extensionsv1alpha1.Infrastructure {
	return &extensionsv1alpha1.Infrastructure{ObjectMeta: meta("test"), Spec: extensionsv1alpha1.InfrastructureSpec{
		DefaultSpec: spec("local"), Region: "local", SecretRef: credentials,
	}}
}

func newControlPlane() *extensionsv1alpha1.ControlPlane {
	return &extensionsv1alpha1.ControlPlane{ObjectMeta: meta("test"), Spec: extensionsv1alpha1.ControlPlaneSpec{
		DefaultSpec: spec("local"), Region: "local", SecretRef: credentials,
	}}
}

func newNetwork() *extensionsv1alpha1.Network {
	return &extensionsv1alpha1.Network{ObjectMeta: meta("test"), Spec: extensionsv1alpha1.NetworkSpec{
		DefaultSpec: spec("calico"), PodCIDR: "100.96.0.0/11", ServiceCIDR: "100.64.0.0/13",
	}}
}

func newOSC() *extensionsv1alpha1.OperatingSystemConfig {
	return &extensionsv1alpha1.OperatingSystemConfig{ObjectMeta: meta("test"), Spec: extensionsv1alpha1.OperatingSystemConfigSpec{
		DefaultSpec: spec("local"), Purpose: extensionsv1alpha1.OperatingSystemConfigPurposeProvision,
		Files: []extensionsv1alpha1.File{{
			Path:    "/etc/boot",
			Content: extensionsv1alpha1.FileContent{SecretRef: &extensionsv1alpha1.FileContentSecretRef{Name: "osc-result-init", DataKey: "cloud_config"}},
		}},
	}}
}

func newWorker() *extensionsv1alpha1.Worker {
	return &extensionsv1alpha1.Worker{ObjectMeta: meta("test"), Spec: extensionsv1alpha1.WorkerSpec{
		DefaultSpec: spec("local"), Region: "local", SecretRef: credentials,
		Pools: []extensionsv1alpha1.WorkerPool{{
			Name: "pool", MachineType: "local", Minimum: 1, Maximum: 2, MaxSurge: intstr.FromInt32(1),
			MachineImage: extensionsv1alpha1.MachineImage{Name: "local", Version: "1.0.0"},
			UserDataSecretRef: corev1.SecretKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: "osc-result-init"}, Key: "cloud_config",
			},
		}},
	}}
}

func newDNSRecord() *extensionsv1alpha1.DNSRecord {
	return &extensionsv1alpha1.DNSRecord{ObjectMeta: meta("test-internal"), Spec: extensionsv1alpha1.DNSRecordSpec{
		DefaultSpec: spec("local"), SecretRef: credentials, Name: "api.test.local.internal.local.gardener.cloud",
		RecordType: extensionsv1alpha1.DNSRecordTypeA, Values: []string{"127.0.0.1"},
	}}
}

func newBackupBucket() *extensionsv1alpha1.BackupBucket {
	return &extensionsv1alpha1.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: "bucket"}, Spec: extensionsv1alpha1.BackupBucketSpec{
		DefaultSpec: spec("local"), Region: "local", SecretRef: credentials,
	}}
}

func newBackupEntry() *extensionsv1alpha1.BackupEntry {
	return &extensionsv1alpha1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: namespace + "--4711"}, Spec: extensionsv1alpha1.BackupEntrySpec{
		DefaultSpec: spec("local"), Region: "local", SecretRef: credentials, BucketName: "bucket",
	}}
}

func newBastion() *extensionsv1alpha1.Bastion {
	return &extensionsv1alpha1.Bastion{ObjectMeta: meta("alice"), Spec: extensionsv1alpha1.BastionSpec{
		DefaultSpec: spec("local"), UserData: []byte("#!/bin/bash"),
		Ingress: []extensionsv1alpha1.BastionIngressPolicy{{IPBlock: networkingv1.IPBlock{CIDR: "1.2.3.4/32"}}},
	}}
}

func newContainerRuntime() *extensionsv1alpha1.ContainerRuntime {
	return &extensionsv1alpha1.ContainerRuntime{ObjectMeta: meta("gvisor-pool"), Spec: extensionsv1alpha1.ContainerRuntimeSpec{
		DefaultSpec: spec("gvisor"), BinaryPath: "/var/bin/containerruntimes",
		WorkerPool: extensionsv1alpha1.ContainerRuntimeWorkerPool{Name: "pool", Selector: metav1.LabelSelector{}},
	}}
}

func newExtension() *extensionsv1alpha1.Extension {
	return &extensionsv1alpha1.Extension{ObjectMeta: meta("local"), Spec: extensionsv1alpha1.ExtensionSpec{DefaultSpec: spec("local")}}
}

func newRegistryCache() *extensionsv1alpha1.Extension {
	e := &extensionsv1alpha1.Extension{ObjectMeta: meta("registry-cache"), Spec: extensionsv1alpha1.ExtensionSpec{DefaultSpec: spec("registry-cache")}}
	e.Spec.ProviderConfig = &runtime.RawExtension{Raw: []byte(`{"apiVersion":"registry.extensions.gardener.cloud/v1alpha3","kind":"RegistryConfig","caches":[{"upstream":"docker.io"}]}`)}
	return e
}

func found(ctx context.Context, obj client.Object, namespace, name string) bool {
	return seed.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, obj) == nil
}

// machinesReady plays the machine controller: all machines asked for run.
func machinesReady(ctx context.Context, t *testing.T, namespace string) {
	t.Helper()
	list := &machinev1alpha1.MachineDeploymentList{}
	if err := seed.List(ctx, list, client.InNamespace(namespace)); err != nil {
		t.Fatalf("list machine deployments: %v", err)
	}
	for i := range list.Items {
		d := &list.Items[i]
		d.Status = machinev1alpha1.MachineDeploymentStatus{
			ObservedGeneration: d.Generation, Replicas: d.Spec.Replicas, UpdatedReplicas: d.Spec.Replicas,
			ReadyReplicas: d.Spec.Replicas, AvailableReplicas: d.Spec.Replicas,
		}
		if err := seed.Status().Update(ctx, d); err != nil {
			t.Fatalf("update status of machine deployment: %v", err)
		}
	}
}

// zone is a dns.Zone made of a map.
type zone struct {
	mu        sync.Mutex
	records   map[string][]string
	elsewhere []string // the owner that another seed has published; empty if none has
}

func newZone() *zone { return &zone{records: map[string][]string{}} }

func (z *zone) Put(_ context.Context, _ client.ObjectKey, name, recordType string, values []string, _ int64) error {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.records[name+" "+recordType] = values
	return nil
}

func (z *zone) Delete(_ client.ObjectKey, name, recordType string) error {
	z.mu.Lock()
	defer z.mu.Unlock()
	delete(z.records, name+" "+recordType)
	return nil
}

func (z *zone) has(name, recordType string) bool {
	z.mu.Lock()
	defer z.mu.Unlock()
	_, ok := z.records[name+" "+recordType]
	return ok
}
