package druid_test

import (
	"fmt"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/druid/protection"
	"github.com/gardener-up/gardener-up/controllers/druid/share"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

const disableAnnotation = "druid.gardener.cloud/disable-etcd-component-protection"

// guarded lets somebody who may do everything, but is not the druid, work on the objects of an Etcd.
func guarded(t *testing.T, c client.Client) {
	ctx := t.Context()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--guarded"}}
	must(t, c.Create(ctx, namespace))
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace.Name, Name: name} }
	etcd := &druidv1alpha1.Etcd{ObjectMeta: meta("etcd-main"), Spec: druidv1alpha1.EtcdSpec{Replicas: 1, Labels: map[string]string{"a": "b"}}}
	must(t, c.Create(ctx, etcd))
	set := &appsv1.StatefulSet{ObjectMeta: meta("etcd-main")}
	eventually(t, func() error { return c.Get(ctx, client.ObjectKeyFromObject(set), set) })
	as := func(user string, groups ...string) client.Client {
		config, err := env.ConfigFor(user, groups...)
		must(t, err)
		other, err := client.New(config, client.Options{})
		must(t, err)
		return other
	}
	operator, member := as("gardener-admin", "system:masters"), as("system:serviceaccount:"+namespace.Name+":etcd-main", "system:masters")
	uid := string(etcd.UID)
	objects := []client.Object{
		set, &corev1.ConfigMap{ObjectMeta: meta("etcd-bootstrap-" + uid[:6])}, &corev1.Service{ObjectMeta: meta("etcd-main-client")}, &corev1.Service{ObjectMeta: meta("etcd-main-peer")},
		&corev1.ServiceAccount{ObjectMeta: meta("etcd-main")}, &coordinationv1.Lease{ObjectMeta: meta("etcd-main-full-snap")}, &coordinationv1.Lease{ObjectMeta: meta("etcd-main-0")},
		&policyv1.PodDisruptionBudget{ObjectMeta: meta("etcd-main")}, &rbacv1.Role{ObjectMeta: meta("druid.gardener.cloud:etcd:etcd-main")},
		&rbacv1.RoleBinding{ObjectMeta: meta("druid.gardener.cloud:etcd:etcd-main")},
	}
	change := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"changed":"`+time.Now().Format(time.RFC3339Nano)+`"}}}`))
	protected := func(t *testing.T) { // the API server learns of the policy, and of Etcds, a little later, and nothing tells when
		t.Helper()
		testwait.Until(t, "the protection of the StatefulSet", func() error {
			if err := operator.Patch(ctx, set.DeepCopy(), change, client.DryRunAll); !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) {
				return fmt.Errorf("changing the StatefulSet: %v", err)
			}
			return nil
		})
	}

	t.Run("ETC-2 nobody but the druid changes or deletes the objects of an Etcd", func(t *testing.T) {
		protected(t)
		for _, object := range objects {
			must(t, c.Get(ctx, client.ObjectKeyFromObject(object), object))
			for verb, err := range map[string]error{
				"changing": operator.Patch(ctx, object.DeepCopyObject().(client.Object), change, client.DryRunAll),
				"deleting": operator.Delete(ctx, object.DeepCopyObject().(client.Object), client.DryRunAll),
			} {
				if err == nil {
					t.Errorf("%s %T %s is allowed", verb, object, object.GetName())
				}
			}
			must(t, c.Patch(ctx, object.DeepCopyObject().(client.Object), change, client.DryRunAll))
			must(t, c.Delete(ctx, object.DeepCopyObject().(client.Object), client.DryRunAll))
		}
		scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 0}}
		if err := operator.SubResource("scale").Update(ctx, set.DeepCopy(), client.WithSubResourceBody(scale), &client.SubResourceUpdateOptions{UpdateOptions: client.UpdateOptions{DryRun: []string{metav1.DryRunAll}}}); err == nil {
			t.Error("scaling the StatefulSet is allowed")
		}
	})

	t.Run("ETC-2 members renew their Leases, and Kubernetes collects objects", func(t *testing.T) {
		renewal := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"holderIdentity":"1"}}`))
		lease := &coordinationv1.Lease{ObjectMeta: meta("etcd-main-0")}
		must(t, member.Patch(ctx, lease, renewal, client.DryRunAll))
		if err := member.Delete(ctx, lease, client.DryRunAll); err == nil {
			t.Error("a member may delete its Lease")
		}
		for _, account := range []string{"namespace-controller", "generic-garbage-collector"} {
			cleaner := as("system:serviceaccount:kube-system:"+account, "system:masters", "system:serviceaccounts:kube-system")
			must(t, cleaner.Delete(ctx, set.DeepCopy(), client.DryRunAll))
		}
	})

	t.Run("objects of others in the same namespace are free", func(t *testing.T) {
		other := &corev1.ConfigMap{ObjectMeta: meta("other")}
		must(t, c.Create(ctx, other))
		must(t, operator.Patch(ctx, other, change))
		must(t, operator.Delete(ctx, other))
	})

	t.Run("ETC-2 an annotation of the Etcd ends the protection", func(t *testing.T) {
		annotate(t, c, etcd, disableAnnotation, ptr.To(""))
		testwait.Until(t, "the end of the protection", func() error { return operator.Patch(ctx, set.DeepCopy(), change, client.DryRunAll) })
		for _, object := range objects {
			must(t, operator.Patch(ctx, object.DeepCopyObject().(client.Object), change, client.DryRunAll))
		}
		annotate(t, c, etcd, disableAnnotation, nil)
		protected(t)
	})

	name := client.ObjectKey{Name: "etcd-druid-component-protection"}
	allowed := func(t *testing.T, who client.Client, want bool) { // the API server learns a little later, and nothing tells when
		t.Helper()
		testwait.Until(t, fmt.Sprintf("the right to change the StatefulSet is %t", want), func() error {
			if err := who.Patch(ctx, set.DeepCopy(), change, client.DryRunAll); (err == nil) != want {
				return fmt.Errorf("changing the StatefulSet: %v", err)
			}
			return nil
		})
	}
	theirs, other := &protection.Member{Identity: "other-landscape/seed"}, as("other-druid", "system:masters")

	t.Run("ETC-2 the druids of two landscapes share one policy", func(t *testing.T) {
		allowed(t, other, false)
		must(t, theirs.Join(ctx, c, "other-druid"))
		allowed(t, other, true)
		allowed(t, c, true)
		allowed(t, operator, false)
	})

	t.Run("ETC-2 a druid that leaves is like everybody else, and does not come back by itself", func(t *testing.T) {
		must(t, theirs.Leave(ctx, c))
		allowed(t, other, false)
		must(t, theirs.Join(ctx, c, "other-druid"))
		policy := &admissionregistrationv1.ValidatingAdmissionPolicy{}
		must(t, c.Get(ctx, name, policy))
		if len(policy.Annotations) != 1 {
			t.Errorf("druids %v, want one", policy.Annotations)
		}
	})

	t.Run("ETC-2 the last druid that leaves removes the policy", func(t *testing.T) {
		must(t, ours.Leave(ctx, c))
		for _, object := range protection.Objects(share.All) {
			if err := c.Get(ctx, name, object); !apierrors.IsNotFound(err) {
				t.Errorf("%T: %v, want none", object, err)
			}
		}
		allowed(t, operator, true)
		must(t, theirs.Leave(ctx, c)) // once more, when there is none
	})

	t.Run("ETC-2 a druid without the setting writes no policy, and leaves one of before", func(t *testing.T) {
		before := &protection.Member{Identity: "landscape/seed"}
		must(t, before.Join(ctx, c, "kubernetes-admin"))
		must(t, protection.Keeper{Member: &protection.Member{Identity: "landscape/seed"}, Client: c, Config: env.Config}.Start(ctx))
		if err := c.Get(ctx, name, &admissionregistrationv1.ValidatingAdmissionPolicy{}); !apierrors.IsNotFound(err) {
			t.Errorf("policy: %v, want none", err)
		}
	})
}
