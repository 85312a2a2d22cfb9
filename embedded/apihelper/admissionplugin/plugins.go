package admissionplugin

import (
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcequota "k8s.io/apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota/v1"
	webhook "k8s.io/apiserver/pkg/admission/plugin/webhook/config/apis/webhookadmission/v1"
	podsecurity "k8s.io/pod-security-admission/admission/api/v1"
)

// plugins are all plugins that read a configuration. Those that read only a directory of manifests are missing.
var plugins = map[string]plugin{
	"MutatingAdmissionWebhook":   webhooks,
	"ValidatingAdmissionWebhook": webhooks,
	"ImagePolicyWebhook": {
		kubeconfig: true, required: true,
		make: func() any { return &imagePolicyConfig{} },
		setFile: func(config any, file string) error {
			config.(*imagePolicyConfig).ImagePolicy.KubeConfigFile = file
			return nil
		},
	},
	"PodNodeSelector": {make: func() any { return &podNodeSelectorConfig{} }},
	"ResourceQuota": {
		kinds: append(kinds("ResourceQuotaConfiguration", "apiserver.config.k8s.io", "v1"), kinds("Configuration", "resourcequota.admission.k8s.io", "v1beta1", "v1alpha1")...),
		make:  func() any { return &resourcequota.Configuration{} },
	},
	"PodSecurity": {
		kinds: kinds("PodSecurityConfiguration", "pod-security.admission.config.k8s.io", "v1", "v1beta1", "v1alpha1"),
		make:  func() any { return &podsecurity.PodSecurityConfiguration{} },
		adapt: func(config any) {
			exempt := &config.(*podsecurity.PodSecurityConfiguration).Exemptions
			if !slices.Contains(exempt.Namespaces, metav1.NamespaceSystem) {
				exempt.Namespaces = append(exempt.Namespaces, metav1.NamespaceSystem) // pods of the system need privileges
			}
		},
	},
	"EventRateLimit": {
		kinds: kinds("Configuration", "eventratelimit.admission.k8s.io", "v1alpha1"),
		make:  func() any { return &eventRateLimitConfig{} },
	},
	"PodTolerationRestriction": {
		kinds: kinds("Configuration", "podtolerationrestriction.admission.k8s.io", "v1alpha1"),
		make:  func() any { return &podTolerationRestrictionConfig{} },
	},
}

var webhooks = plugin{
	kinds:      kinds("WebhookAdmissionConfiguration", "apiserver.config.k8s.io", "v1"),
	kubeconfig: true,
	make:       func() any { return &webhook.WebhookAdmission{} },
	setFile: func(config any, file string) error {
		typed := config.(*webhook.WebhookAdmission)
		switch {
		case typed.StaticManifestsDir != "":
			return errors.New("staticManifestsDir: must not name a directory of the API server")
		case typed.KubeConfigFile != "" && file == "":
			return errors.New("kubeConfigFile: must not name a file of the API server: set kubeconfigSecretName instead")
		}
		typed.KubeConfigFile = file
		return nil
	},
}

func kinds(kind, group string, versions ...string) []metav1.TypeMeta {
	var out []metav1.TypeMeta
	for _, version := range versions {
		out = append(out, metav1.TypeMeta{Kind: kind, APIVersion: group + "/" + version})
	}
	return out
}

// The types below are in k8s.io/kubernetes only, which most packages must not link.

type imagePolicyConfig struct {
	ImagePolicy struct {
		KubeConfigFile string `json:"kubeConfigFile"`
		AllowTTL       int64  `json:"allowTTL,omitempty"`     // seconds
		DenyTTL        int64  `json:"denyTTL,omitempty"`      // seconds
		RetryBackoff   int64  `json:"retryBackoff,omitempty"` // milliseconds
		DefaultAllow   bool   `json:"defaultAllow,omitempty"`
	} `json:"imagePolicy"`
}

type podNodeSelectorConfig struct {
	Selectors map[string]string `json:"podNodeSelectorPluginConfig"` // by namespace
}

type eventRateLimitConfig struct {
	metav1.TypeMeta `json:",inline"`
	Limits          []struct {
		Type      string `json:"type"`
		QPS       int32  `json:"qps"`
		Burst     int32  `json:"burst"`
		CacheSize int32  `json:"cacheSize,omitempty"`
	} `json:"limits"`
}

type podTolerationRestrictionConfig struct {
	metav1.TypeMeta `json:",inline"`
	Default         []corev1.Toleration `json:"default,omitempty"`
	Whitelist       []corev1.Toleration `json:"whitelist,omitempty"`
}
