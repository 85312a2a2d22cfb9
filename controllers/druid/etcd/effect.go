package etcd

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

const reasonNoEffect = "FieldsWithoutEffect"

// withoutEffect are the fields that an Etcd has set and that do nothing here, each with the reason.
func withoutEffect(spec *druidv1alpha1.EtcdSpec) (fields []string) {
	store := spec.Backup.Store
	for _, field := range []struct {
		set       bool
		name, why string
	}{
		{spec.MemberNamePrefix != nil && *spec.MemberNamePrefix != "", "spec.memberNamePrefix", "members have the names of their pods, by which they find each other and report"},
		{spec.RunAsRoot != nil && !*spec.RunAsRoot, "spec.runAsRoot", "members run as the user of their image, who owns the volumes and the backups that exist"},
		{spec.Etcd.WrapperPort != nil, "spec.etcd.wrapperPort", "no wrapper starts the etcd; the process serves its state at spec.backup.port"},
		{spec.Etcd.AuthSecretRef != nil, "spec.etcd.authSecretRef", "members know clients by the certificates of spec.etcd.clientUrlTls, and not by names and passwords"},
		{len(spec.Etcd.AdditionalAdvertisePeerURLs) > 0, "spec.etcd.additionalAdvertisePeerURLs", "members advertise the names of their pods only"},
		{spec.Backup.Image != nil, "spec.backup.image", "the process of the etcd makes the backups"},
		{spec.Backup.Resources != nil, "spec.backup.resources", "the process of the etcd makes the backups, within spec.etcd.resources"},
		{store != nil && store.EndpointOverride != nil, "spec.backup.store.endpointOverride", "the Secret of the store names its endpoint"},
	} {
		if field.set {
			fields = append(fields, field.name+" ("+field.why+")")
		}
	}
	return fields
}

// tellWithoutEffect keeps the condition about fields without effect, and records an event when there are others than before.
func (r *Reconciler) tellWithoutEffect(etcd *druidv1alpha1.Etcd, now metav1.Time) {
	is := func(condition druidv1alpha1.Condition) bool {
		return condition.Type == druidv1alpha1.ConditionTypeAllFieldsEffective
	}
	fields := withoutEffect(&etcd.Spec)
	if len(fields) == 0 {
		etcd.Status.Conditions = slices.DeleteFunc(etcd.Status.Conditions, is)
		return
	}
	message := "Fields without effect: " + strings.Join(fields, "; ") + "."
	told := slices.ContainsFunc(etcd.Status.Conditions, func(condition druidv1alpha1.Condition) bool { return is(condition) && condition.Message == message })
	setCondition(etcd, condition(druidv1alpha1.ConditionTypeAllFieldsEffective, false, "", reasonNoEffect, message), now)
	if !told {
		r.Recorder.Eventf(etcd, nil, corev1.EventTypeWarning, reasonNoEffect, "Reconcile", "%s", message)
	}
}
