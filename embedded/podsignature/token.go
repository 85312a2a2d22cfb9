package podsignature

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// The token volume that admission adds to pods: by the API server itself, or by the webhook projectedtokenmount.
const (
	tokenVolume = "kube-api-access-"
	tokenPath   = "/var/run/secrets/kubernetes.io/serviceaccount"
	rootCA      = "kube-root-ca.crt"
)

// dropToken removes the volume with the token of the service account and its mounts, as admission adds them. Anything
// that only looks like it stays.
func dropToken(spec *corev1.PodSpec) {
	for _, volume := range spec.Volumes {
		if !isToken(volume) {
			continue
		}
		for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
			for i := range containers {
				containers[i].VolumeMounts = slices.DeleteFunc(containers[i].VolumeMounts, func(m corev1.VolumeMount) bool {
					return m.Name == volume.Name && m.MountPath == tokenPath && m.SubPath == "" && m.SubPathExpr == ""
				})
			}
		}
	}
	spec.Volumes = slices.DeleteFunc(spec.Volumes, func(v corev1.Volume) bool { return isToken(v) && !mounted(spec, v.Name) })
}

func isToken(v corev1.Volume) bool {
	if !strings.HasPrefix(v.Name, tokenVolume) || v.Projected == nil {
		return false
	}
	return !slices.ContainsFunc(v.Projected.Sources, func(source corev1.VolumeProjection) bool { return !partOfToken(source) })
}

func partOfToken(source corev1.VolumeProjection) bool {
	switch {
	case source.ServiceAccountToken != nil:
		return source.ServiceAccountToken.Path == "token" && source.ServiceAccountToken.Audience == ""
	case source.ConfigMap != nil:
		return source.ConfigMap.Name == rootCA
	case source.DownwardAPI != nil:
		items := source.DownwardAPI.Items
		return len(items) == 1 && items[0].Path == "namespace" && items[0].FieldRef != nil && items[0].FieldRef.FieldPath == "metadata.namespace"
	}
	return false
}

func mounted(spec *corev1.PodSpec, volume string) bool {
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for _, c := range containers {
			if slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == volume }) {
				return true
			}
		}
	}
	return false
}
