package core

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func validateAddons(spec *core.ShootSpec, path *field.Path) field.ErrorList {
	addons := spec.Addons
	if addons == nil {
		return nil
	}
	var errs field.ErrorList
	if addons.OldKubernetesDashboard != nil { // defaults have made it the new form, unless that is there, too
		errs = append(errs, field.Forbidden(path.Child("kubernetes-dashboard"), "must not be set together with kubernetesDashboard"))
	}
	if addons.OldNginxIngress != nil {
		errs = append(errs, field.Forbidden(path.Child("nginx-ingress"), "must not be set together with nginxIngress"))
	}
	enabled := addons.KubernetesDashboard != nil && addons.KubernetesDashboard.Enabled ||
		addons.NginxIngress != nil && addons.NginxIngress.Enabled
	if enabled && spec.Purpose != nil && *spec.Purpose != core.ShootPurposeEvaluation {
		errs = append(errs, field.Forbidden(path, "addons are for clusters with purpose evaluation"))
	}
	if dashboard := addons.KubernetesDashboard; dashboard != nil && dashboard.Enabled && dashboard.AuthenticationMode != nil {
		errs = append(errs, oneOf(*dashboard.AuthenticationMode, path.Child("kubernetesDashboard", "authenticationMode"),
			core.KubernetesDashboardAuthModeToken)...)
	}
	if ingress := addons.NginxIngress; ingress != nil {
		errs = append(errs, validateConfigMapData(ingress.Config, path.Child("nginxIngress", "config"))...)
		errs = append(errs, validateTrafficPolicy(ingress.ExternalTrafficPolicy, path.Child("nginxIngress", "externalTrafficPolicy"))...)
		for i, source := range ingress.LoadBalancerSourceRanges {
			_, problems := parseCIDR(source, path.Child("nginxIngress", "loadBalancerSourceRanges").Index(i))
			errs = append(errs, problems...)
		}
	}
	return errs
}

func validateSystemComponents(components *core.SystemComponents, path *field.Path) field.ErrorList {
	if components == nil || components.CoreDNS == nil {
		return nil
	}
	var errs field.ErrorList
	if autoscaling := components.CoreDNS.Autoscaling; autoscaling != nil {
		errs = append(errs, oneOf(autoscaling.Mode, path.Child("coreDNS", "autoscaling", "mode"),
			core.CoreDNSAutoscalingModeHorizontal, core.CoreDNSAutoscalingModeClusterProportional)...)
	}
	if rewriting := components.CoreDNS.Rewriting; rewriting != nil {
		at := path.Child("coreDNS", "rewriting", "commonSuffixes")
		errs = append(errs, uniqueText(rewriting.CommonSuffixes, at)...)
		for i, suffix := range rewriting.CommonSuffixes {
			if !strings.Contains(strings.TrimPrefix(suffix, "."), ".") {
				errs = append(errs, field.Invalid(at.Index(i), suffix, "must contain a dot that is not the first character"))
			}
		}
	}
	return errs
}
