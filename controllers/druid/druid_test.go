package druid_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/druid"
	"github.com/gardener-up/gardener-up/controllers/druid/compaction"
	"github.com/gardener-up/gardener-up/controllers/druid/protection"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

var env *testenv.Env

// ours is the druid of the tests as a member of the policy for the objects of Etcds.
var ours = &protection.Member{Identity: "landscape/seed"}

func TestMain(m *testing.M) {
	definitions, err := crds.Druid()
	extensions, errExtensions := crds.Extensions()
	err = errors.Join(err, errExtensions, druidv1alpha1.AddToScheme(scheme.Scheme), extensionsv1alpha1.AddToScheme(scheme.Scheme))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testenv.Main(m, testenv.Options{CRDs: append(definitions, entriesOnly(extensions)...)}, func(e *testenv.Env) { env = e })
}

// entriesOnly are the definitions that the druid needs. Each costs the API server memory.
func entriesOnly(all []*apiextensionsv1.CustomResourceDefinition) []*apiextensionsv1.CustomResourceDefinition {
	return slices.DeleteFunc(all, func(d *apiextensionsv1.CustomResourceDefinition) bool { return d.Spec.Names.Kind != "BackupEntry" })
}

func TestDruid(t *testing.T) {
	c, err := client.New(env.Config, client.Options{})
	must(t, err)
	start(t)
	t.Run("without backups", func(t *testing.T) { withoutBackups(t, c) })
	t.Run("suspended", func(t *testing.T) { suspended(t, c) })
	t.Run("compactions", func(t *testing.T) { compactions(t, c) })
	t.Run("with backups", func(t *testing.T) { withBackups(t, c) })
	t.Run("tasks", func(t *testing.T) { tasks(t, c) })
	t.Run("copies of backups", func(t *testing.T) { copies(t, c) })
	t.Run("with the backups of others", func(t *testing.T) { withOthersBackups(t, c) })
	t.Run("with several members", func(t *testing.T) { withMembers(t, c) })
	t.Run("protected", func(t *testing.T) { guarded(t, c) }) // the last one, which ends the protection
}

func withoutBackups(t *testing.T, c client.Client) {
	ctx := t.Context()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--s"}}
	must(t, c.Create(ctx, namespace))

	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace.Name, Name: name} }
	etcd := &druidv1alpha1.Etcd{
		ObjectMeta: meta("etcd-main"),
		Spec: druidv1alpha1.EtcdSpec{
			Replicas:        1,
			Labels:          map[string]string{"gardener.cloud/role": "controlplane"},
			Selector:        &metav1.LabelSelector{MatchLabels: map[string]string{"instance": "etcd-main"}},
			StorageCapacity: ptr.To(resource.MustParse("10Gi")),
			Etcd: druidv1alpha1.EtcdConfig{
				Quota: ptr.To(resource.MustParse("8Gi")),
				ClientUrlTLS: &druidv1alpha1.TLSConfig{
					TLSCASecretRef:     druidv1alpha1.SecretReference{SecretReference: corev1.SecretReference{Name: "ca-etcd"}, DataKey: ptr.To("bundle.crt")},
					ServerTLSSecretRef: corev1.SecretReference{Name: "etcd-server"},
				},
			},
		},
	}
	etcd.Annotations = map[string]string{"gardener.cloud/operation": "reconcile"}
	must(t, c.Create(ctx, etcd))
	set := &appsv1.StatefulSet{ObjectMeta: meta("etcd-main")}
	refresh := func(t *testing.T) { t.Helper(); must(t, c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd)) }

	t.Run("ETC-3 nothing runs while a secret is missing, and the status tells which", func(t *testing.T) {
		eventually(t, func() error {
			refresh(t)
			if last := etcd.Status.LastErrors; len(last) != 1 || last[0].Description != `secret "ca-etcd" does not exist` {
				return fmt.Errorf("last errors %v", last)
			}
			return nil
		})
		if err := c.Get(ctx, client.ObjectKeyFromObject(set), set); !apierrors.IsNotFound(err) {
			t.Errorf("StatefulSet: %v, want none", err)
		}
		if etcd.Annotations["gardener.cloud/operation"] == "" || ptr.Deref(etcd.Status.Ready, false) {
			t.Error("the etcd counts as reconciled or ready")
		}
	})

	t.Run("ETC-2 it becomes a StatefulSet and Services", func(t *testing.T) {
		for _, name := range []string{"ca-etcd", "etcd-server"} {
			must(t, c.Create(ctx, &corev1.Secret{ObjectMeta: meta(name)}))
		}
		eventually(t, func() error {
			refresh(t)
			if etcd.Annotations["gardener.cloud/operation"] != "" {
				return errors.New("the annotation is still there")
			}
			return nil
		})
		if ptr.Deref(etcd.Status.ObservedGeneration, 0) != etcd.Generation || len(etcd.Status.LastErrors) != 0 || *etcd.Status.Ready {
			t.Errorf("status %+v", etcd.Status)
		}
		must(t, c.Get(ctx, client.ObjectKeyFromObject(set), set))
		args := strings.Join(set.Spec.Template.Spec.Containers[0].Args, " ")
		for _, want := range []string{
			"component backup-restore serve --watchdog --etcd=etcd-main --listen=$(POD_IP):8080 ", " -- --name=$(POD_NAME)",
			"--listen-client-urls=https://$(POD_IP):2379",
			"--initial-cluster=etcd-main-0=http://etcd-main-0.etcd-main-peer.shoot--p--s.svc:2380",
		} {
			if !strings.Contains(args, want) {
				t.Errorf("args %q lack %q", args, want)
			}
		}
		if set.Spec.ServiceName != "etcd-main-peer" || set.Spec.VolumeClaimTemplates[0].Spec.Resources.Requests.Storage().String() != "10Gi" {
			t.Errorf("service %q, claim %v", set.Spec.ServiceName, set.Spec.VolumeClaimTemplates[0].Spec)
		}
		peer, clients := &corev1.Service{}, &corev1.Service{}
		must(t, c.Get(ctx, client.ObjectKey{Namespace: namespace.Name, Name: "etcd-main-peer"}, peer))
		must(t, c.Get(ctx, client.ObjectKey{Namespace: namespace.Name, Name: "etcd-main-client"}, clients))
		if peer.Spec.ClusterIP != corev1.ClusterIPNone || !peer.Spec.PublishNotReadyAddresses || clients.Spec.Ports[0].Port != 2379 {
			t.Errorf("peer %+v, client %+v", peer.Spec, clients.Spec)
		}
	})

	t.Run("ETC-2 the container begins with the configuration of a ConfigMap", func(t *testing.T) {
		want := `client-transport-security:
  cert-file: var/etcd/ssl/client/server/tls.crt
  client-cert-auth: true
  key-file: var/etcd/ssl/client/server/tls.key
  trusted-ca-file: var/etcd/ssl/client/ca/bundle.crt
data-dir: var/etcd/data/new.etcd
initial-cluster-token: ` + string(etcd.UID) + `
metrics: basic
quota-backend-bytes: 8589934592
snapshot-catchup-entries: 1
snapshot-count: 1000
`
		if diff := cmp.Diff(want, bootstrap(t, c, etcd, set)); diff != "" {
			t.Errorf("configuration (-want +got):\n%s", diff)
		}
	})

	t.Run("it is ready when its pod is", func(t *testing.T) {
		run(t, c, set)
		eventually(t, func() error {
			refresh(t)
			return want(etcd, true, map[druidv1alpha1.ConditionType]druidv1alpha1.ConditionStatus{
				"Ready": "True", "AllMembersReady": "True", "AllMembersUpdated": "True",
			})
		})
		if members := etcd.Status.Members; len(members) != 1 || members[0].Name != "etcd-main-0" || members[0].Status != "Ready" {
			t.Errorf("members %+v", members)
		}
	})

	t.Run("a change counts when it is announced, and the etcd is not ready until it is rolled out", func(t *testing.T) {
		before := etcd.DeepCopy()
		etcd.Spec.Etcd.Quota = ptr.To(resource.MustParse("4Gi"))
		etcd.Spec.StorageCapacity = ptr.To(resource.MustParse("20Gi")) // a StatefulSet cannot change that
		must(t, c.Patch(ctx, etcd, client.MergeFrom(before)))
		testwait.Stays(t, 300*time.Millisecond, "the controller, which reacts to a change at once", func() error {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(set), set))
			if strings.Contains(bootstrap(t, c, etcd, set), "4294967296") {
				return errors.New("it was applied without the annotation")
			}
			return nil
		})

		before = etcd.DeepCopy()
		metav1.SetMetaDataAnnotation(&etcd.ObjectMeta, "gardener.cloud/operation", "reconcile")
		must(t, c.Patch(ctx, etcd, client.MergeFrom(before)))
		eventually(t, func() error {
			refresh(t)
			if etcd.Annotations["gardener.cloud/operation"] != "" {
				return fmt.Errorf("the annotation is still there: %+v", etcd.Status.LastErrors)
			}
			return nil
		})
		if err := want(etcd, false, map[druidv1alpha1.ConditionType]druidv1alpha1.ConditionStatus{
			"Ready": "True", "AllMembersReady": "True", "AllMembersUpdated": "False",
		}); err != nil {
			t.Error(err)
		}
		must(t, c.Get(ctx, client.ObjectKeyFromObject(set), set))
		if !strings.Contains(bootstrap(t, c, etcd, set), "4294967296") {
			t.Error("it was not applied")
		}
		run(t, c, set)
		eventually(t, func() error { refresh(t); return want(etcd, true, nil) })
	})

	t.Run("a hibernated etcd keeps its volume and is ready", func(t *testing.T) {
		before := etcd.DeepCopy()
		etcd.Spec.Replicas = 0
		metav1.SetMetaDataAnnotation(&etcd.ObjectMeta, "gardener.cloud/operation", "reconcile")
		must(t, c.Patch(ctx, etcd, client.MergeFrom(before)))
		eventually(t, func() error {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(set), set))
			if *set.Spec.Replicas != 0 {
				return errors.New("the StatefulSet still has a replica")
			}
			return nil
		})
		run(t, c, set)
		eventually(t, func() error { refresh(t); return want(etcd, true, nil) })
	})

	t.Run("ETC-2 deletion removes StatefulSet, Services, ConfigMap and volume claims", func(t *testing.T) {
		claim := set.Spec.VolumeClaimTemplates[0].DeepCopy()
		claim.ObjectMeta = meta("etcd-main-etcd-main-0")
		claim.Labels = set.Spec.Selector.MatchLabels // as the StatefulSet controller does
		must(t, c.Create(ctx, claim))
		must(t, c.Delete(ctx, etcd))
		eventually(t, func() error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd); !apierrors.IsNotFound(err) {
				return fmt.Errorf("etcd: %v", err)
			}
			return nil
		})
		services, configs := &corev1.ServiceList{}, &corev1.ConfigMapList{}
		must(t, c.List(ctx, services, client.InNamespace(namespace.Name)))
		must(t, c.List(ctx, configs, client.InNamespace(namespace.Name)))
		for _, config := range configs.Items {
			if strings.HasPrefix(config.Name, "etcd-bootstrap-") {
				t.Errorf("ConfigMap %s is left", config.Name)
			}
		}
		if err := c.Get(ctx, client.ObjectKeyFromObject(set), set); !apierrors.IsNotFound(err) || len(services.Items) != 0 {
			t.Errorf("StatefulSet: %v, services: %v", err, services.Items)
		}
		// A finalizer of the API server, which nobody removes here, keeps the claim.
		err := c.Get(ctx, client.ObjectKeyFromObject(claim), claim)
		if err == nil && claim.DeletionTimestamp == nil || client.IgnoreNotFound(err) != nil {
			t.Errorf("the claim is not being deleted: %v", err)
		}
	})
}

// bootstrap returns the configuration in the ConfigMap of an etcd, which its container mounts and whose checksum it checks.
func bootstrap(t *testing.T, c client.Client, etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet) string {
	t.Helper()
	config := &corev1.ConfigMap{}
	must(t, c.Get(t.Context(), client.ObjectKey{Namespace: etcd.Namespace, Name: "etcd-bootstrap-" + string(etcd.UID)[:6]}, config))
	pod, content := set.Spec.Template.Spec, config.Data["etcd.conf.yaml"]
	volume := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.ConfigMap != nil && v.ConfigMap.Name == config.Name })
	mount := slices.IndexFunc(pod.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/var/etcd/config" })
	if volume < 0 || mount < 0 || pod.Volumes[volume].Name != pod.Containers[0].VolumeMounts[mount].Name {
		t.Errorf("the container does not mount %s: %+v, volumes %+v", config.Name, pod.Containers[0].VolumeMounts, pod.Volumes)
	}
	sum := sha256.Sum256([]byte(content))
	for _, want := range []string{"--etcd-config=var/etcd/config/etcd.conf.yaml", "--etcd-config-sum=" + hex.EncodeToString(sum[:])} {
		if args := pod.Containers[0].Args; !slices.Contains(args, want) {
			t.Errorf("arguments %q lack %s", args, want)
		}
	}
	return content
}

// run does what the StatefulSet controller does when all pods run.
func run(t *testing.T, c client.Client, set *appsv1.StatefulSet) {
	t.Helper()
	n := *set.Spec.Replicas
	before := set.DeepCopy()
	set.Status = appsv1.StatefulSetStatus{
		ObservedGeneration: set.Generation, Replicas: n, ReadyReplicas: n, CurrentReplicas: n, UpdatedReplicas: n, AvailableReplicas: n,
	}
	must(t, c.Status().Patch(t.Context(), set, client.MergeFrom(before)))
}

func want(etcd *druidv1alpha1.Etcd, ready bool, conditions map[druidv1alpha1.ConditionType]druidv1alpha1.ConditionStatus) error {
	if got := ptr.Deref(etcd.Status.Ready, !ready); got != ready {
		return fmt.Errorf("ready %v, want %v; conditions %+v", got, ready, etcd.Status.Conditions)
	}
	got := map[druidv1alpha1.ConditionType]druidv1alpha1.ConditionStatus{}
	for _, condition := range etcd.Status.Conditions {
		got[condition.Type] = condition.Status
	}
	if diff := cmp.Diff(conditions, got); conditions != nil && diff != "" {
		return fmt.Errorf("conditions (-want +got):\n%s", diff)
	}
	return nil
}

func start(t *testing.T) {
	t.Helper()
	mgr, err := manager.New(env.Config, manager.Options{Scheme: scheme.Scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	must(t, err)
	must(t, druid.AddToManager(mgr, druid.Config{
		Image: "gardener", Backups: backupDir, PrivateNetworks: []netip.Prefix{netip.MustParsePrefix("10.7.0.0/16")}, Compaction: compaction.Settings{Deadline: 2 * time.Hour},
		Protection: ours, Protect: true,
	}))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("controllers: %v", err)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, check func() error) {
	t.Helper()
	env.Until(t, "objects", func(context.Context) error { return check() })
}
