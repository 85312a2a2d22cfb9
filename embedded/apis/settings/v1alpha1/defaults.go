package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// SetDefaults_OpenIDConnectPresetSpec selects all shoots.
func SetDefaults_OpenIDConnectPresetSpec(obj *OpenIDConnectPresetSpec) {
	if obj.ShootSelector == nil {
		obj.ShootSelector = &metav1.LabelSelector{}
	}
}

// SetDefaults_ClusterOpenIDConnectPresetSpec selects all projects.
func SetDefaults_ClusterOpenIDConnectPresetSpec(obj *ClusterOpenIDConnectPresetSpec) {
	if obj.ProjectSelector == nil {
		obj.ProjectSelector = &metav1.LabelSelector{}
	}
}

// SetDefaults_KubeAPIServerOpenIDConnect sets the claim of the user name and the signature algorithm.
func SetDefaults_KubeAPIServerOpenIDConnect(obj *KubeAPIServerOpenIDConnect) {
	if len(obj.SigningAlgs) == 0 {
		obj.SigningAlgs = []string{"RS256"}
	}
	if obj.UsernameClaim == nil {
		obj.UsernameClaim = new("sub")
	}
}
