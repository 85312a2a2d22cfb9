package v1beta1

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

// SetDefaults_Shoot sets what depends on the metadata of a Shoot.
func SetDefaults_Shoot(obj *Shoot) {
	if obj.Namespace == "garden" && !slices.ContainsFunc(obj.Spec.Tolerations, func(t Toleration) bool {
		return t.Key == SeedTaintProtected && t.Value == nil
	}) {
		obj.Spec.Tolerations = append(obj.Spec.Tolerations, Toleration{Key: SeedTaintProtected})
	}
}

// SetDefaults_ShootSpec sets defaults of all parts. Address ranges, versions and images are left to the admission of
// the API server, since they depend on other objects.
func SetDefaults_ShootSpec(obj *ShootSpec) {
	defaulting.Pointer(&obj.Purpose, ShootPurposeEvaluation)
	defaulting.Pointer(&obj.SchedulerName, "default-scheduler")
	setCloudProfileReference(obj)
	setMaintenance(obj)
	setControlPlaneComponents(&obj.Kubernetes)
	if len(obj.Provider.Workers) > 0 {
		setForWorkers(obj)
	}
	if obj.Networking != nil && len(obj.Networking.IPFamilies) == 0 {
		obj.Networking.IPFamilies = []IPFamily{IPFamilyIPv4}
	}
}

// setCloudProfileReference translates the form of older clients. Where both forms are given, the caller that knows the
// previous object decides which one is meant.
func setCloudProfileReference(obj *ShootSpec) {
	switch {
	case obj.CloudProfile == nil && obj.CloudProfileName != nil && *obj.CloudProfileName != "":
		obj.CloudProfile = &CloudProfileReference{Kind: "CloudProfile", Name: *obj.CloudProfileName}
	case obj.CloudProfile != nil:
		if obj.CloudProfile.Kind == "" {
			obj.CloudProfile.Kind = "CloudProfile"
		}
		if obj.CloudProfile.Kind == "CloudProfile" && versionBefore(obj.Kubernetes.Version, 34) {
			defaulting.Pointer(&obj.CloudProfileName, obj.CloudProfile.Name)
		}
	}
}

// setForWorkers sets what makes sense for clusters with nodes only.
func setForWorkers(obj *ShootSpec) {
	if obj.Networking == nil {
		obj.Networking = &Networking{}
	}
	defaulting.Pointer(&obj.Provider.WorkersSettings, WorkersSettings{})
	defaulting.Pointer(&obj.Provider.WorkersSettings.SSHAccess, SSHAccess{Enabled: true})
	defaulting.Pointer(&obj.SystemComponents, SystemComponents{})
	defaulting.Pointer(&obj.SystemComponents.CoreDNS, CoreDNS{})
	defaulting.Pointer(&obj.SystemComponents.CoreDNS.Autoscaling, CoreDNSAutoscaling{Mode: CoreDNSAutoscalingModeHorizontal})
	setNodeComponents(obj)
}

// SetDefaults_Addons turns the old spelling into the new one, unless both are used.
func SetDefaults_Addons(obj *Addons) {
	if obj.KubernetesDashboard == nil {
		obj.KubernetesDashboard, obj.OldKubernetesDashboard = obj.OldKubernetesDashboard, nil
	}
	if obj.NginxIngress == nil {
		obj.NginxIngress, obj.OldNginxIngress = obj.OldNginxIngress, nil
	}
}

// SetDefaults_KubernetesDashboard sets the way users log in.
func SetDefaults_KubernetesDashboard(obj *KubernetesDashboard) {
	if obj.Enabled {
		defaulting.Pointer(&obj.AuthenticationMode, KubernetesDashboardAuthModeToken)
	}
}

// SetDefaults_NginxIngress sets the traffic policy.
func SetDefaults_NginxIngress(obj *NginxIngress) {
	defaulting.Pointer(&obj.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
}
