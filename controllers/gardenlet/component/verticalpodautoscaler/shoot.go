package verticalpodautoscaler

import (
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
)

// WebhookName is the name of the webhook of any vertical pod autoscaler.
const WebhookName = "vpa.k8s.io"

// group of the kinds of the autoscaler.
const group = "autoscaling.k8s.io"

// ShootObjects builds the objects in the shoot: the kinds, the permissions of each part, and the registration of the
// webhook. An error means that the binary was built from broken files.
func ShootObjects(v Values) ([]client.Object, error) {
	definitions, err := crds.Autoscaling()
	if err != nil {
		return nil, err
	}
	out := []client.Object{webhook(v)}
	for _, definition := range definitions {
		out = append(out, definition)
	}
	for _, part := range Deployments() {
		out = append(out, rights("target", part, subject(part))...)
	}
	return append(out, statusRole("target", subject(Admission), subject(Updater))...), nil
}

// webhook calls the Service in the seed, which the API server reaches without the tunnel. If the webhook is
// unavailable, pods keep the requests they specify.
func webhook(v Values) *admissionregistrationv1.MutatingWebhookConfiguration {
	return configuration("vpa-webhook-config-shoot", admissionregistrationv1.WebhookClientConfig{
		URL: ptr.To(fmt.Sprintf("https://%s.%s.svc:%d", Service, v.Namespace, pod.WebhookPort)), CABundle: v.Secrets.CA,
	})
}

func configuration(name string, reach admissionregistrationv1.WebhookClientConfig) *admissionregistrationv1.MutatingWebhookConfiguration {
	rule := func(group, version, resource string, operations ...admissionregistrationv1.OperationType) admissionregistrationv1.RuleWithOperations {
		return admissionregistrationv1.RuleWithOperations{
			Operations: operations,
			Rule: admissionregistrationv1.Rule{
				APIGroups: []string{group}, APIVersions: []string{version}, Resources: []string{resource}, Scope: ptr.To(admissionregistrationv1.AllScopes),
			},
		}
	}
	return &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: WebhookName, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: reach,
			Rules: []admissionregistrationv1.RuleWithOperations{
				rule("", "v1", "pods", admissionregistrationv1.Create),
				rule(group, "*", "verticalpodautoscalers", admissionregistrationv1.Create, admissionregistrationv1.Update),
			},
			FailurePolicy: ptr.To(admissionregistrationv1.Ignore), MatchPolicy: ptr.To(admissionregistrationv1.Exact),
			SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone), TimeoutSeconds: ptr.To[int32](10),
			ReinvocationPolicy: ptr.To(admissionregistrationv1.NeverReinvocationPolicy),
		}},
	}
}

// rights are the permissions of one part in a cluster, the shoot ("target") or the seed: those that all parts need to find the pods of an autoscaler's target, and its
// own.
func rights(cluster, part string, subject rbacv1.Subject) []client.Object {
	meta := metav1.ObjectMeta{Name: "gardener.cloud:vpa:" + cluster + ":" + part}
	rules := []rbacv1.PolicyRule{
		allow("", []string{"pods", "nodes", "limitranges", "replicationcontrollers"}, "get", "list", "watch"),
		allow("apps", []string{"daemonsets", "deployments", "replicasets", "statefulsets"}, "get", "list", "watch"),
		allow("batch", []string{"jobs", "cronjobs"}, "get", "list", "watch"),
		allow("*", []string{"*/scale"}, "get", "watch"),
		allow(group, []string{"verticalpodautoscalers"}, "get", "list", "watch"),
	}
	switch part {
	case Recommender:
		rules = append(rules,
			allow("", []string{"events", "namespaces"}, "get", "list", "watch"),
			allow("metrics.k8s.io", []string{"pods"}, "get", "list"),
			allow(group, []string{"verticalpodautoscalers/status"}, "get", "patch"),
			allow(group, []string{"verticalpodautoscalercheckpoints"}, "get", "list", "watch", "create", "patch", "delete"),
		)
	case Updater:
		rules = append(rules,
			allow("", []string{"events"}, "create", "get", "list", "watch", "patch", "update"),
			allow("events.k8s.io", []string{"events"}, "create", "patch", "update"),
			allow("", []string{"pods/eviction"}, "create"),
			allow("", []string{"pods", "pods/resize"}, "patch"),
		)
	}
	return []client.Object{
		&rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules},
		&rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name}, Subjects: []rbacv1.Subject{subject}},
	}
}

// statusRole allows the admission controller to write a lease while it runs, and the updater to read it. Without a
// running admission controller the updater evicts no pods, since they would come back unchanged.
func statusRole(cluster string, admission, updater rbacv1.Subject) []client.Object {
	meta := metav1.ObjectMeta{Name: "gardener.cloud:vpa:" + cluster + ":status", Namespace: metav1.NamespaceSystem}
	create, use := allow("coordination.k8s.io", []string{"leases"}, "create"), allow("coordination.k8s.io", []string{"leases"}, "get", "list", "watch", "update")
	use.ResourceNames = []string{Admission}
	return []client.Object{
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{create, use}},
		&rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name}, Subjects: []rbacv1.Subject{admission, updater}},
	}
}

func subject(part string) rbacv1.Subject {
	return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: User(part)}
}

func allow(group string, resources []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
}
