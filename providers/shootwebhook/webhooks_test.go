package shootwebhook

import (
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/providers/contract"
)

func sky(hooks ...webhook.Hook) Webhooks {
	return Webhooks{Provider: "provider-sky", Hooks: hooks, Service: types.NamespacedName{Namespace: "extension-provider-sky", Name: "webhooks"}, Port: 443}
}

func pods() webhook.Hook {
	return webhook.Hook{Name: "pods.sky", Path: "/webhooks/pods", Rules: webhook.CreatedPods(), MayFail: true, TimeoutSeconds: 5}
}

func TestCheck(t *testing.T) {
	changed := func(change func(*webhook.Hook)) Webhooks {
		hook := pods()
		change(&hook)
		return sky(hook)
	}
	elsewhere := sky(pods())
	elsewhere.Service.Namespace = "garden"
	for name, tc := range map[string]struct {
		webhooks Webhooks
		want     string // in the error; empty for none
	}{
		"good ones are accepted":                {webhooks: sky(pods())},
		"one that stops the shoot is refused":   {changed(func(h *webhook.Hook) { h.MayFail = false }), "set MayFail"},
		"a slow one is refused":                 {changed(func(h *webhook.Hook) { h.TimeoutSeconds = 16 }), "between 1 and 15"},
		"one with the usual timeout is refused": {changed(func(h *webhook.Hook) { h.TimeoutSeconds = 0 }), "is 0"},
		"one that leaders wait for is refused": {changed(func(h *webhook.Hook) {
			h.Rules = []admissionregistrationv1.RuleWithOperations{webhook.Rule("coordination.k8s.io", []string{"v1"}, []string{"leases"}, admissionregistrationv1.Update)}
		}), "between 1 and 3"},
		"one for everything is refused":                               {changed(func(h *webhook.Hook) { h.Rules[0].Resources = []string{"*"} }), "between 1 and 3"},
		"a Service that API servers of shoots do not call is refused": {elsewhere, "with the prefix extension-"},
		"none are refused":                                            {sky(), "no hooks"},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.webhooks.check()
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error is %v, want %q", err, tc.want)
			}
		})
	}
}

func TestDocuments(t *testing.T) {
	documents, err := sky(pods()).documents([]byte("bundle"))
	if err != nil || len(documents) != 1 {
		t.Fatalf("%d documents, %v", len(documents), err)
	}
	found := &admissionregistrationv1.MutatingWebhookConfiguration{}
	if err := yaml.UnmarshalStrict(documents["mutating.yaml"], found); err != nil {
		t.Fatal(err)
	}
	if found.Kind != "MutatingWebhookConfiguration" || found.Name != "gardener-extension-provider-sky-shoot" || len(found.Webhooks) != 1 {
		t.Fatalf("configuration %+v", found)
	}
	one := found.Webhooks[0]
	if *one.ClientConfig.URL != "https://webhooks.extension-provider-sky.svc:443/webhooks/pods" || string(one.ClientConfig.CABundle) != "bundle" || one.ClientConfig.Service != nil {
		t.Errorf("it is called at %+v", one.ClientConfig)
	}
	t.Run("EXT-24 the shoot's webhooks are not called problematic, and requests pass while the extension is down", func(t *testing.T) {
		if *one.FailurePolicy != admissionregistrationv1.Ignore || *one.TimeoutSeconds != 5 || found.Labels["remediation.webhook.shoot.gardener.cloud/exclude"] != "true" {
			t.Errorf("policy %s, timeout %d, labels %v", *one.FailurePolicy, *one.TimeoutSeconds, found.Labels)
		}
	})
}

func TestNext(t *testing.T) {
	now := metav1.NewTime(time.Unix(0, 0))
	object := func(change func(*extensionsv1alpha1.ControlPlane)) extensionsv1alpha1.Object {
		cp := &extensionsv1alpha1.ControlPlane{}
		change(cp)
		return cp
	}
	as := func(operation string) extensionsv1alpha1.Object {
		return object(func(cp *extensionsv1alpha1.ControlPlane) {
			cp.Annotations = map[string]string{"gardener.cloud/operation": operation}
		})
	}
	migrated := func(operation string) extensionsv1alpha1.Object {
		return object(func(cp *extensionsv1alpha1.ControlPlane) {
			cp.Annotations = map[string]string{"gardener.cloud/operation": operation}
			cp.DeletionTimestamp = &now
			if operation == "restore" {
				cp.DeletionTimestamp = nil
			}
			cp.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: gardencorev1beta1.LastOperationTypeMigrate}
		})
	}
	deleted := func(force string) extensionsv1alpha1.Object {
		return object(func(cp *extensionsv1alpha1.ControlPlane) {
			cp.DeletionTimestamp = &now
			cp.Annotations = map[string]string{"confirmation.gardener.cloud/force-deletion": force}
		})
	}
	forced := &contract.Cluster{Shoot: &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{
		DeletionTimestamp: &now, Annotations: map[string]string{"confirmation.gardener.cloud/force-deletion": "true"},
	}}}
	moving := &contract.Cluster{Shoot: &gardencorev1beta1.Shoot{Status: gardencorev1beta1.ShootStatus{
		LastOperation: &gardencorev1beta1.LastOperation{Type: gardencorev1beta1.LastOperationTypeMigrate},
	}}}
	for name, tc := range map[string]struct {
		objects []extensionsv1alpha1.Object
		cluster *contract.Cluster
		want    action
	}{
		"a shoot has the webhooks":                            {objects: []extensionsv1alpha1.Object{as("reconcile")}, want: apply},
		"one that waits for its state, too":                   {objects: []extensionsv1alpha1.Object{as("wait-for-state")}, want: apply},
		"one that leaves keeps them":                          {objects: []extensionsv1alpha1.Object{as("migrate")}, want: leave},
		"one that has left keeps them":                        {objects: []extensionsv1alpha1.Object{migrated("")}, want: leave},
		"one that has come back gets them":                    {objects: []extensionsv1alpha1.Object{migrated("restore")}, want: apply},
		"one whose objects are not asked to leave yet, too":   {objects: []extensionsv1alpha1.Object{as("")}, cluster: moving, want: leave},
		"so does one that another seed has taken":             {objects: []extensionsv1alpha1.Object{as("")}, cluster: &contract.Cluster{Taken: true}, want: leave},
		"they go with the object":                             {objects: []extensionsv1alpha1.Object{deleted("")}, want: remove},
		"they stay with another object":                       {objects: []extensionsv1alpha1.Object{as(""), deleted("")}, want: apply},
		"they go if the object went unnoticed":                {want: remove},
		"nobody waits for a shoot whose deletion is forced":   {cluster: forced, want: force},
		"nobody waits for an object whose deletion is forced": {objects: []extensionsv1alpha1.Object{deleted("true")}, want: force},
	} {
		t.Run(name, func(t *testing.T) {
			if got := next(tc.objects, tc.cluster); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
