package v1alpha1

// SetDefaults_CredentialsBinding completes references by the namespace of the binding.
func SetDefaults_CredentialsBinding(obj *CredentialsBinding) {
	if obj.CredentialsRef.Namespace == "" {
		obj.CredentialsRef.Namespace = obj.Namespace
	}
	for i := range obj.Quotas {
		if obj.Quotas[i].Namespace == "" {
			obj.Quotas[i].Namespace = obj.Namespace
		}
	}
}

// SetDefaults_TokenRequestSpec asks for an hour.
func SetDefaults_TokenRequestSpec(obj *TokenRequestSpec) {
	if obj.ExpirationSeconds == nil {
		obj.ExpirationSeconds = new(int64(3600))
	}
}
