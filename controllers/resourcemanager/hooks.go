package resourcemanager

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admission/seed"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/endpointslicehints"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/extensionvalidation"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/highavailability"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/podschedulername"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/podtopologyspread"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/podzoneaffinity"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/projectedtokenmount"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/seccompprofile"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/servicehost"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/systemcomponents"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/tokeninvalidator"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// own is the label of the pods of resource managers. They must not depend on the webhooks that they serve.
const ownLabel, ownName = constants.LabelApp, "gardener-resource-manager"

const apiServerProxyDisabled = "disable"

// hooks builds the enabled webhooks. It does not use target before they are called.
func hooks(cfg Config, target client.Reader) []webhook.Hook {
	w := cfg.Webhooks
	var result []webhook.Hook
	add := func(enabled bool, hooks ...webhook.Hook) {
		if enabled {
			result = append(result, hooks...)
		}
	}
	pods := func(name string, change func(*webhook.Hook)) webhook.Hook {
		hook := webhook.Hook{
			Name: name + ".resources.gardener.cloud", Path: "/webhooks/" + name, Rules: webhook.CreatedPods(),
			NamespaceSelector: inNamespaces(cfg.TargetNamespaces), ObjectSelector: webhook.Without(ownLabel, ownName),
		}
		change(&hook)
		return hook
	}
	add(w.CRDDeletionProtection.Enabled, seed.DeletionConfirmation()...)
	add(w.ProjectedTokenMount.Enabled, pods("projected-token-mount", func(h *webhook.Hook) {
		m := &projectedtokenmount.Mutator{Target: target, ExpirationSeconds: w.ProjectedTokenMount.ExpirationSeconds}
		h.Handler = webhook.Mutate(m.Mutate)
		exclude(h, resourcesv1alpha1.ProjectedTokenSkip, "true")
	}))
	add(w.PodSchedulerName.Enabled, pods("pod-scheduler-name", func(h *webhook.Hook) {
		h.Handler = webhook.Mutate(podschedulername.Mutator{SchedulerName: w.PodSchedulerName.SchedulerName}.Mutate)
		h.MayFail = true // the default scheduler does as well
	}))
	add(w.PodTopologySpreadConstraints.Enabled, pods("pod-topology-spread-constraints", func(h *webhook.Hook) {
		h.Handler = webhook.Mutate(podtopologyspread.Mutate)
		exclude(h, resourcesv1alpha1.PodTopologySpreadConstraintsSkip, "true")
		h.ObjectSelector.MatchExpressions = append(h.ObjectSelector.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: appsv1.DefaultDeploymentUniqueLabelKey, Operator: metav1.LabelSelectorOpExists,
		})
		h.Reinvoke = true // other webhooks may add constraints
	}))
	add(w.PodZoneAffinity.Enabled, pods("pod-zone-affinity", func(h *webhook.Hook) {
		h.Handler = webhook.Mutate((&podzoneaffinity.Mutator{Target: target}).Mutate)
		h.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{constants.GardenRole: constants.GardenRoleShoot}}
	}))
	add(w.SeccompProfile.Enabled, pods("seccomp-profile", func(h *webhook.Hook) {
		h.Handler = webhook.Mutate(seccompprofile.Mutate)
		exclude(h, resourcesv1alpha1.SeccompProfileSkip, "true")
	}))
	add(w.SystemComponentsConfig.Enabled, pods("system-components-config", func(h *webhook.Hook) {
		c := w.SystemComponentsConfig
		h.Handler = webhook.Mutate((&systemcomponents.Mutator{
			Target: target, NodeSelector: c.NodeSelector, PodNodeSelector: c.PodNodeSelector, PodTolerations: c.PodTolerations,
		}).Mutate)
		h.NamespaceSelector = inNamespaces([]string{metav1.NamespaceSystem})
		exclude(h, resourcesv1alpha1.SystemComponentsConfigSkip, "true")
	}))
	add(w.KubernetesServiceHost.Enabled, pods("kubernetes-service-host", func(h *webhook.Hook) {
		h.Handler = webhook.Mutate(servicehost.Mutator{Host: w.KubernetesServiceHost.Host}.Mutate)
		exclude(h, resourcesv1alpha1.APIServerProxyInject, apiServerProxyDisabled)
		h.MayFail, h.TimeoutSeconds = true, 2 // pods reach the API server without it, too
	}))
	add(w.TokenInvalidator.Enabled, webhook.Hook{
		Name: "token-invalidator.resources.gardener.cloud", Path: "/webhooks/invalidate-service-account-token-secret",
		Handler: webhook.Mutate(tokeninvalidator.Mutate),
		Rules: []admissionregistrationv1.RuleWithOperations{
			webhook.Rule("", []string{"v1"}, []string{"secrets"}, admissionregistrationv1.Create, admissionregistrationv1.Update),
		},
		NamespaceSelector: inNamespaces(cfg.TargetNamespaces),
		ObjectSelector:    &metav1.LabelSelector{MatchLabels: map[string]string{resourcesv1alpha1.TokenInvalidatorConsider: "true"}},
	})
	add(w.ExtensionValidation.Enabled, webhook.Hook{
		Name: "extension-validation.resources.gardener.cloud", Path: "/webhooks/validate-extensions", Handler: admission.HandlerFunc(extensionvalidation.Validate), Validating: true,
		Rules: []admissionregistrationv1.RuleWithOperations{webhook.Rule("extensions.gardener.cloud", []string{"v1alpha1"}, extensionvalidation.Resources(),
			admissionregistrationv1.Create, admissionregistrationv1.Update)},
	})
	add(w.EndpointSliceHints.Enabled, webhook.Hook{
		Name: "endpoint-slice-hints.resources.gardener.cloud", Path: "/webhooks/endpoint-slice-hints", Handler: webhook.Mutate(endpointslicehints.Mutate),
		Rules: []admissionregistrationv1.RuleWithOperations{webhook.Rule("discovery.k8s.io", []string{"v1"}, []string{"endpointslices"},
			admissionregistrationv1.Create, admissionregistrationv1.Update)},
		NamespaceSelector: inNamespaces(cfg.TargetNamespaces),
		ObjectSelector:    &metav1.LabelSelector{MatchLabels: map[string]string{resourcesv1alpha1.EndpointSliceHintsConsider: "true"}},
		MayFail:           true, // traffic flows without hints, too
	})
	add(w.HighAvailabilityConfig.Enabled, highAvailability(cfg, target)...)
	return result
}

func highAvailability(cfg Config, target client.Reader) []webhook.Hook {
	mutator := &highavailability.Mutator{
		Target:             target,
		NotReadySeconds:    cfg.Webhooks.HighAvailabilityConfig.DefaultNotReadyTolerationSeconds,
		UnreachableSeconds: cfg.Webhooks.HighAvailabilityConfig.DefaultUnreachableTolerationSeconds,
	}
	on := func(suffix, group, version, resource string, hook webhook.Hook) webhook.Hook {
		hook.Name, hook.Path = suffix+".high-availability-config.resources.gardener.cloud", "/webhooks/high-availability-config/"+suffix
		hook.Rules = []admissionregistrationv1.RuleWithOperations{
			webhook.Rule(group, []string{version}, []string{resource}, admissionregistrationv1.Create, admissionregistrationv1.Update),
		}
		hook.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{resourcesv1alpha1.HighAvailabilityConfigConsider: "true"}}
		hook.ObjectSelector = webhook.Without(resourcesv1alpha1.HighAvailabilityConfigSkip, "true")
		return hook
	}
	return []webhook.Hook{
		on("deployments", "apps", "v1", "deployments", webhook.Hook{Handler: webhook.Mutate(mutator.Deployment)}),
		on("statefulsets", "apps", "v1", "statefulsets", webhook.Hook{Handler: webhook.Mutate(mutator.StatefulSet)}),
		on("horizontalpodautoscalers", "autoscaling", "v2", "horizontalpodautoscalers", webhook.Hook{Handler: webhook.Mutate(mutator.HorizontalPodAutoscaler)}),
	}
}

func exclude(h *webhook.Hook, label, value string) {
	h.ObjectSelector.MatchExpressions = append(h.ObjectSelector.MatchExpressions, webhook.Without(label, value).MatchExpressions...)
}

// inNamespaces selects namespaces by the label with their name; an empty list selects all of them.
func inNamespaces(names []string) *metav1.LabelSelector {
	if len(names) == 0 {
		return nil
	}
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: corev1.LabelMetadataName, Operator: metav1.LabelSelectorOpIn, Values: names},
	}}
}
