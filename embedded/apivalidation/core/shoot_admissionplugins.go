package core

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// requiredPlugins cannot be disabled, because clusters need them to be consistent and safe.
var requiredPlugins = []string{"MutatingAdmissionWebhook", "NamespaceLifecycle", "NodeRestriction", "ValidatingAdmissionWebhook"}

// knownPlugins are the admission plugins of a kube-apiserver. It does not start with any other name.
var knownPlugins = []string{
	"AlwaysAdmit", "AlwaysDeny", "AlwaysPullImages", "CertificateApproval", "CertificateSigning", "CertificateSubjectRestriction",
	"ClusterTrustBundleAttest", "DefaultIngressClass", "DefaultStorageClass", "DefaultTolerationSeconds", "DenyServiceExternalIPs",
	"EventRateLimit", "ExtendedResourceToleration", "ImagePolicyWebhook", "JobValidation", "LimitPodHardAntiAffinityTopology",
	"LimitRanger", "MutatingAdmissionPolicy", "MutatingAdmissionWebhook", "NamespaceAutoProvision", "NamespaceExists",
	"NamespaceLifecycle", "NodeDeclaredFeatureValidator", "NodeRestriction", "OwnerReferencesPermissionEnforcement",
	"PersistentVolumeClaimResize", "PodGroupProtection", "PodGroupWorkloadExists", "PodNodeSelector", "PodResizeValidator",
	"PodSecurity", "PodTolerationRestriction", "PodTopologyLabels", "Priority", "ResourceQuota", "RuntimeClass", "ServiceAccount",
	"StorageObjectInUseProtection", "TaintNodesByCondition", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook",
}

func validateAdmissionPlugins(plugins []core.AdmissionPlugin, path *field.Path) field.ErrorList {
	errs := unique(plugins, path, func(p core.AdmissionPlugin) string { return p.Name }, "name")
	for i, plugin := range plugins {
		disabled := plugin.Disabled != nil && *plugin.Disabled
		switch {
		case plugin.Name == "":
			errs = append(errs, field.Required(path.Index(i).Child("name"), "must name an admission plugin"))
		case !slices.Contains(knownPlugins, plugin.Name):
			errs = append(errs, field.NotSupported(path.Index(i).Child("name"), plugin.Name, knownPlugins))
		case disabled && slices.Contains(requiredPlugins, plugin.Name):
			errs = append(errs, field.Forbidden(path.Index(i), "the plugin "+plugin.Name+" is required"))
		}
	}
	return errs
}
