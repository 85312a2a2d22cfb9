package v1alpha1

// defaultExpirationSeconds is how long a kubeconfig is valid unless the request says otherwise.
const defaultExpirationSeconds int64 = 3600

// SetDefaults_AdminKubeconfigRequestSpec asks for an hour.
func SetDefaults_AdminKubeconfigRequestSpec(obj *AdminKubeconfigRequestSpec) {
	if obj.ExpirationSeconds == nil {
		obj.ExpirationSeconds = new(defaultExpirationSeconds)
	}
}

// SetDefaults_ViewerKubeconfigRequestSpec asks for an hour.
func SetDefaults_ViewerKubeconfigRequestSpec(obj *ViewerKubeconfigRequestSpec) {
	if obj.ExpirationSeconds == nil {
		obj.ExpirationSeconds = new(defaultExpirationSeconds)
	}
}
