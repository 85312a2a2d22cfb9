package druid_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

const backupDir = "/state/backups/local"

// backedUp is an Etcd with a store, as the gardenlet writes it.
func backedUp(namespace string) *druidv1alpha1.Etcd {
	tls := func(secret string) *druidv1alpha1.TLSConfig {
		return &druidv1alpha1.TLSConfig{
			TLSCASecretRef:     druidv1alpha1.SecretReference{SecretReference: corev1.SecretReference{Name: secret}, DataKey: ptr.To("bundle.crt")},
			ServerTLSSecretRef: corev1.SecretReference{Name: secret}, ClientTLSSecretRef: corev1.SecretReference{Name: secret},
		}
	}
	return &druidv1alpha1.Etcd{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "etcd-main", Annotations: map[string]string{"gardener.cloud/operation": "reconcile"}},
		Spec: druidv1alpha1.EtcdSpec{
			Replicas: 1, Labels: map[string]string{"gardener.cloud/role": "controlplane"}, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"instance": "etcd-main"}},
			Etcd: druidv1alpha1.EtcdConfig{ClientUrlTLS: tls("tls"), DefragmentationSchedule: ptr.To("1 2 */3 * *")},
			Backup: druidv1alpha1.BackupSpec{
				TLS: tls("tls"), FullSnapshotSchedule: ptr.To("1 2 * * *"), DeltaSnapshotPeriod: &metav1.Duration{Duration: 7 * time.Minute},
				Store: &druidv1alpha1.StoreSpec{
					Container: ptr.To("seed-uid"), Prefix: namespace + "--uid/etcd-main", Provider: ptr.To(druidv1alpha1.StorageProvider("local")),
					SecretRef: &corev1.SecretReference{Name: "etcd-backup"},
				},
			},
		},
	}
}

func withBackups(t *testing.T, c client.Client) {
	ctx := t.Context()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--b"}}
	must(t, c.Create(ctx, namespace))
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace.Name, Name: name} }
	etcd, set := backedUp(namespace.Name), &appsv1.StatefulSet{ObjectMeta: meta("etcd-main")}
	must(t, c.Create(ctx, etcd))
	refresh := func(t *testing.T) { t.Helper(); must(t, c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd)) }
	apply := func(t *testing.T) {
		t.Helper()
		eventually(t, func() error {
			refresh(t)
			if etcd.Annotations["gardener.cloud/operation"] != "" {
				return fmt.Errorf("the annotation is still there: %+v", etcd.Status.LastErrors)
			}
			return nil
		})
	}

	t.Run("ETC-3 nothing runs without the credentials of the store", func(t *testing.T) {
		must(t, c.Create(ctx, &corev1.Secret{ObjectMeta: meta("tls")}))
		eventually(t, func() error {
			refresh(t)
			if last := etcd.Status.LastErrors; len(last) != 1 || last[0].Description != `secret "etcd-backup" does not exist` {
				return fmt.Errorf("last errors %v", last)
			}
			return nil
		})
		if err := c.Get(ctx, client.ObjectKeyFromObject(set), set); !apierrors.IsNotFound(err) {
			t.Errorf("StatefulSet: %v, want none", err)
		}
	})

	t.Run("ETC-12 ETC-13 the member backs itself up into the directory of the landscape", func(t *testing.T) {
		// What a Secret names as a directory does not matter.
		must(t, c.Create(ctx, &corev1.Secret{ObjectMeta: meta("etcd-backup"), StringData: map[string]string{"hostPath": "/etc", "bucketName": "other"}}))
		apply(t)
		must(t, c.Get(ctx, client.ObjectKeyFromObject(set), set))
		pod := set.Spec.Template.Spec
		container := pod.Containers[0]
		args := strings.Join(container.Args, " ")
		for _, part := range []string{
			"component backup-restore serve --watchdog --etcd=etcd-main --listen=$(POD_IP):8080 ", " --store-provider=local --store-container=seed-uid " +
				"--store-prefix=shoot--p--b--uid/etcd-main --store-dir=var/etcd/backups --store-credentials=var/etcd/store --source-store-credentials=var/etcd/source-store ",
			" --client-ca=var/etcd/ssl/client/ca/bundle.crt --client-cert=var/etcd/ssl/client/client/tls.crt --client-key=var/etcd/ssl/client/client/tls.key ",
			" --server-ca=var/etcd/ssl/backup/ca/bundle.crt --server-cert=var/etcd/ssl/backup/server/tls.crt ",
			" --full-schedule=1 2 * * * --defragmentation-schedule=1 2 */3 * * --delta-period=7m0s -- --name=$(POD_NAME) ",
		} {
			if !strings.Contains(args, part) {
				t.Errorf("arguments %q lack %q", args, part)
			}
		}
		paths, secrets := map[string]string{}, map[string]*corev1.SecretVolumeSource{}
		for _, volume := range pod.Volumes {
			if volume.Secret != nil {
				secrets[volume.Secret.SecretName] = volume.Secret
			}
			if volume.HostPath != nil {
				paths[volume.Name] = volume.HostPath.Path
			}
		}
		if diff := cmp.Diff(map[string]string{"local-backups": backupDir}, paths); diff != "" {
			t.Errorf("directories of the node (-want +got):\n%s", diff)
		}
		if own := secrets["etcd-backup"]; own == nil || ptr.Deref(own.Optional, false) {
			t.Errorf("the Secret with the key that encrypts snapshots: %v", own)
		}
		source := secrets["etcd-backup-source-keys"] // it exists only until the etcd has a full snapshot of its own
		if source == nil || !ptr.Deref(source.Optional, false) || len(source.Items) != 1 || source.Items[0].Key != "encryptionKey" {
			t.Errorf("the Secret with keys of the source: %v", source)
		}
		if !*pod.ShareProcessNamespace || !*pod.AutomountServiceAccountToken {
			t.Errorf("pod %+v", pod)
		}
		for path, probe := range map[string]*corev1.Probe{"/healthz?serializable=true": container.StartupProbe, "/healthz": container.ReadinessProbe} {
			if asks := probe.HTTPGet; asks.Path != path || asks.Port.IntVal != 8080 || asks.Scheme != corev1.URISchemeHTTPS {
				t.Errorf("probe of %s asks %+v", path, asks)
			}
		}
		if container.StartupProbe.FailureThreshold < 3600 {
			t.Errorf("startup probe %+v", container.StartupProbe)
		}
		service := &corev1.Service{ObjectMeta: meta("etcd-main-client")}
		must(t, c.Get(ctx, client.ObjectKeyFromObject(service), service))
		ports := map[string]int32{}
		for _, port := range service.Spec.Ports {
			ports[port.Name] = port.Port
		}
		if diff := cmp.Diff(map[string]int32{"client": 2379, "backuprestore": 8080}, ports); diff != "" {
			t.Errorf("ports of the Service (-want +got):\n%s", diff)
		}
	})

	t.Run("ETC-2 the member may report to its own Leases only", func(t *testing.T) {
		names := []string{"etcd-main-full-snap", "etcd-main-delta-snap", "etcd-main-0"}
		for _, name := range names {
			must(t, c.Get(ctx, client.ObjectKey{Namespace: namespace.Name, Name: name}, &coordinationv1.Lease{}))
		}
		role, binding := &rbacv1.Role{ObjectMeta: meta("druid.gardener.cloud:etcd:etcd-main")}, &rbacv1.RoleBinding{ObjectMeta: meta("druid.gardener.cloud:etcd:etcd-main")}
		must(t, c.Get(ctx, client.ObjectKeyFromObject(role), role))
		must(t, c.Get(ctx, client.ObjectKeyFromObject(binding), binding))
		want := []rbacv1.PolicyRule{{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: names, Verbs: []string{"patch"}}}
		if diff := cmp.Diff(want, role.Rules); diff != "" {
			t.Errorf("rights (-want +got):\n%s", diff)
		}
		if binding.Subjects[0].Name != "etcd-main" || binding.RoleRef.Name != role.Name {
			t.Errorf("binding %+v", binding)
		}
		budget := &policyv1.PodDisruptionBudget{ObjectMeta: meta("etcd-main")}
		must(t, c.Get(ctx, client.ObjectKeyFromObject(budget), budget))
		if budget.Spec.MinAvailable.IntVal != 0 || budget.Spec.Selector.MatchLabels["instance"] != "etcd-main" {
			t.Errorf("disruption budget %+v", budget.Spec)
		}
	})

	t.Run("ETC-8 backups count once they are reported", func(t *testing.T) {
		run(t, c, set)
		backup := func() druidv1alpha1.Condition {
			refresh(t)
			for _, condition := range etcd.Status.Conditions {
				if condition.Type == druidv1alpha1.ConditionTypeBackupReady {
					return condition
				}
			}
			return druidv1alpha1.Condition{}
		}
		eventually(t, func() error {
			if got := backup(); got.Status != druidv1alpha1.ConditionUnknown || !*etcd.Status.Ready {
				return fmt.Errorf("ready %t, condition %+v", *etcd.Status.Ready, got)
			}
			return nil
		})
		// As embedded/backuprestore/leases does.
		for name, holder := range map[string]string{"etcd-main-full-snap": "7", "etcd-main-delta-snap": "9", "etcd-main-0": "abc:Leader"} {
			text := fmt.Sprintf(`{"spec":{"holderIdentity":%q,"renewTime":%q}}`, holder, time.Now().UTC().Format(metav1.RFC3339Micro))
			must(t, c.Patch(ctx, &coordinationv1.Lease{ObjectMeta: meta(name)}, client.RawPatch("application/merge-patch+json", []byte(text))))
		}
		eventually(t, func() error {
			if got := backup(); got.Status != druidv1alpha1.ConditionTrue || got.Reason != "BackupSucceeded" {
				return fmt.Errorf("condition %+v", got)
			}
			if member := etcd.Status.Members[0]; ptr.Deref(member.ID, "") != "abc" || ptr.Deref(member.Role, "") != druidv1alpha1.EtcdRoleLeader {
				return fmt.Errorf("member %+v", member)
			}
			return nil
		})
	})

	t.Run("what members have reported stays when the etcd is applied again", func(t *testing.T) {
		announce(t, c, etcd, func() {
			etcd.Spec.Backup.GarbageCollectionPolicy = ptr.To(druidv1alpha1.GarbageCollectionPolicyLimitBased)
		})
		apply(t)
		lease := &coordinationv1.Lease{ObjectMeta: meta("etcd-main-delta-snap")}
		must(t, c.Get(ctx, client.ObjectKeyFromObject(lease), lease))
		if ptr.Deref(lease.Spec.HolderIdentity, "") != "9" || lease.Spec.RenewTime == nil {
			t.Errorf("Lease %+v", lease.Spec)
		}
	})

	t.Run("ETC-5 a store that leads out of the bucket is refused", func(t *testing.T) {
		announce(t, c, etcd, func() { etcd.Spec.Backup.Store.Prefix = "../other-uid/shoot" })
		eventually(t, func() error {
			refresh(t)
			if last := etcd.Status.LastErrors; len(last) != 1 || !strings.Contains(last[0].Description, "cannot be a prefix of snapshots") {
				return fmt.Errorf("last errors %v", last)
			}
			return nil
		})
		must(t, c.Get(ctx, client.ObjectKeyFromObject(set), set))
		if strings.Contains(fmt.Sprint(set.Spec.Template.Spec.Containers[0].Args), "other-uid") {
			t.Error("it was applied")
		}
	})

	t.Run("ETC-4 without a store there are no backups and nothing is said about them", func(t *testing.T) {
		announce(t, c, etcd, func() { etcd.Spec.Backup.Store = nil })
		apply(t)
		must(t, c.Get(ctx, client.ObjectKeyFromObject(set), set))
		if args := strings.Join(set.Spec.Template.Spec.Containers[0].Args, " "); strings.Contains(args, "store-") || !strings.HasPrefix(args, "component backup-restore serve --watchdog --etcd=etcd-main ") {
			t.Errorf("arguments %q", args)
		}
		for _, condition := range etcd.Status.Conditions {
			if condition.Type == druidv1alpha1.ConditionTypeBackupReady {
				t.Errorf("condition %+v", condition)
			}
		}
	})

	t.Run("a store of a provider that the nodes do not have is left alone", func(t *testing.T) {
		announce(t, c, etcd, func() {
			etcd.Spec.Backup.Store = &druidv1alpha1.StoreSpec{Prefix: "x", Provider: ptr.To(druidv1alpha1.StorageProvider("aws"))}
		})
		apply(t)
		must(t, c.Get(ctx, client.ObjectKeyFromObject(set), set))
		if args := strings.Join(set.Spec.Template.Spec.Containers[0].Args, " "); strings.Contains(args, "store-") || !strings.HasPrefix(args, "component backup-restore serve --watchdog --etcd=etcd-main ") {
			t.Errorf("arguments %q", args)
		}
	})

	t.Run("BKP-2 the member backs itself up into an object store with the credentials of its Secret", func(t *testing.T) {
		announce(t, c, etcd, func() {
			etcd.Spec.Backup.Store = &druidv1alpha1.StoreSpec{
				Prefix: "shoot--p--b--uid/etcd-main", Container: ptr.To("bucket"), Provider: ptr.To(druidv1alpha1.StorageProvider("S3")),
				SecretRef: &corev1.SecretReference{Name: "etcd-backup"},
			}
		})
		apply(t)
		must(t, c.Get(ctx, client.ObjectKeyFromObject(set), set))
		pod := set.Spec.Template.Spec
		want := " --store-provider=s3 --store-container=bucket --store-prefix=shoot--p--b--uid/etcd-main --store-credentials=var/etcd/store --source-store-credentials=var/etcd/source-store --private-networks=10.7.0.0/16 "
		if args := strings.Join(pod.Containers[0].Args, " "); !strings.Contains(args, want) {
			t.Errorf("arguments %q lack %q", args, want)
		}
		secrets := map[string]string{}
		for _, volume := range pod.Volumes {
			if volume.HostPath != nil {
				t.Errorf("the member has the directory %s of the node", volume.HostPath.Path)
			}
			for _, mount := range pod.Containers[0].VolumeMounts {
				if mount.Name == volume.Name && volume.Secret != nil {
					secrets[mount.MountPath] = volume.Secret.SecretName
				}
			}
		}
		if secrets["/var/etcd/store"] != "etcd-backup" {
			t.Errorf("Secrets %v", secrets)
		}
		for provider, store := range map[druidv1alpha1.StorageProvider]string{"gcp": "gcs", "ABS": "abs"} {
			announce(t, c, etcd, func() { etcd.Spec.Backup.Store.Provider = &provider })
			apply(t)
			must(t, c.Get(ctx, client.ObjectKeyFromObject(set), set))
			if args := strings.Join(set.Spec.Template.Spec.Containers[0].Args, " "); !strings.Contains(args, strings.Replace(want, "=s3 ", "="+store+" ", 1)) {
				t.Errorf("provider %s: arguments %q", provider, args)
			}
		}
		announce(t, c, etcd, func() { etcd.Spec.Backup.Store.Prefix = "shoot--p--other--uid/etcd-main" })
		eventually(t, func() error {
			refresh(t)
			if last := etcd.Status.LastErrors; len(last) != 1 || !strings.Contains(last[0].Description, "has no backups of namespace") {
				return fmt.Errorf("ETC-5 last errors %v", last)
			}
			return nil
		})
	})

	t.Run("ETC-2 deletion removes Leases, rights and disruption budget", func(t *testing.T) {
		must(t, c.Delete(ctx, etcd))
		eventually(t, func() error {
			if err := c.Get(ctx, client.ObjectKeyFromObject(etcd), etcd); !apierrors.IsNotFound(err) {
				return fmt.Errorf("etcd: %v", err)
			}
			return nil
		})
		for _, list := range []client.ObjectList{&coordinationv1.LeaseList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{}, &policyv1.PodDisruptionBudgetList{}} {
			must(t, c.List(ctx, list, client.InNamespace(namespace.Name)))
			if n := apimeta.LenList(list); n > 0 {
				t.Errorf("%d objects of %T are left", n, list)
			}
		}
	})
}

// announce changes the Etcd and asks for a reconciliation.
func announce(t *testing.T, c client.Client, etcd *druidv1alpha1.Etcd, change func()) {
	t.Helper()
	before := etcd.DeepCopy()
	change()
	metav1.SetMetaDataAnnotation(&etcd.ObjectMeta, "gardener.cloud/operation", "reconcile")
	must(t, c.Patch(t.Context(), etcd, client.MergeFrom(before)))
}
