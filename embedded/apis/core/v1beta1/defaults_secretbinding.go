package v1beta1

// SetDefaults_SecretBinding completes references by the namespace of the binding.
func SetDefaults_SecretBinding(obj *SecretBinding) {
	if obj.SecretRef.Namespace == "" {
		obj.SecretRef.Namespace = obj.Namespace
	}
	for i := range obj.Quotas {
		if obj.Quotas[i].Namespace == "" {
			obj.Quotas[i].Namespace = obj.Namespace
		}
	}
}
