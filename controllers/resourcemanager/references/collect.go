package references

import corev1 "k8s.io/api/core/v1"

// collect adds the annotations for all Secrets and ConfigMaps that the pods use.
func collect(spec *corev1.PodSpec, into map[string]string) {
	add := func(kind, name string) {
		if name != "" {
			into[Key(kind, name)] = name
		}
	}
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for _, container := range containers {
			collectEnvironment(container, add)
		}
	}
	for _, secret := range spec.ImagePullSecrets {
		add(KindSecret, secret.Name)
	}
	for _, volume := range spec.Volumes {
		collectVolume(volume, add)
	}
}

func collectEnvironment(container corev1.Container, add func(kind, name string)) {
	for _, source := range container.EnvFrom {
		if source.ConfigMapRef != nil {
			add(KindConfigMap, source.ConfigMapRef.Name)
		}
		if source.SecretRef != nil {
			add(KindSecret, source.SecretRef.Name)
		}
	}
	for _, env := range container.Env {
		if env.ValueFrom == nil {
			continue
		}
		if ref := env.ValueFrom.ConfigMapKeyRef; ref != nil {
			add(KindConfigMap, ref.Name)
		}
		if ref := env.ValueFrom.SecretKeyRef; ref != nil {
			add(KindSecret, ref.Name)
		}
	}
}

func collectVolume(volume corev1.Volume, add func(kind, name string)) {
	if volume.Secret != nil {
		add(KindSecret, volume.Secret.SecretName)
	}
	if volume.ConfigMap != nil {
		add(KindConfigMap, volume.ConfigMap.Name)
	}
	if volume.Projected == nil {
		return
	}
	for _, source := range volume.Projected.Sources {
		if source.Secret != nil {
			add(KindSecret, source.Secret.Name)
		}
		if source.ConfigMap != nil {
			add(KindConfigMap, source.ConfigMap.Name)
		}
	}
}
