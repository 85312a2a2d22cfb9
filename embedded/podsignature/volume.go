package podsignature

import corev1 "k8s.io/api/core/v1"

// Names that stand for names derived from the name of the pod. No object can have such a name.
const (
	// OwnSecret is the Secret with the name of the pod.
	OwnSecret = "$(pod)"
	ownClaim  = "$(volume)-$(pod)" // as the controller of StatefulSets names claims
)

// normaliseVolume clears what the API server fills in, and modes of files, which have no effect on processes of one
// user. It replaces names that are made of the pod's name. Whatever it does not know stays as it is.
func normaliseVolume(v *corev1.Volume, pod string) {
	switch {
	case v.EmptyDir != nil:
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	case v.Secret != nil:
		v.Secret.DefaultMode = nil
		dropModes(v.Secret.Items)
		if pod != "" && v.Secret.SecretName == pod {
			v.Secret.SecretName = OwnSecret
		}
	case v.ConfigMap != nil:
		v.ConfigMap.DefaultMode = nil
		dropModes(v.ConfigMap.Items)
	case v.HostPath != nil:
		if kind := v.HostPath.Type; kind != nil && *kind == corev1.HostPathUnset {
			v.HostPath.Type = nil
		}
	case v.PersistentVolumeClaim != nil:
		if pod != "" && v.PersistentVolumeClaim.ClaimName == v.Name+"-"+pod {
			v.PersistentVolumeClaim.ClaimName = ownClaim
		}
	case v.Projected != nil:
		normaliseProjection(v.Projected)
	}
}

func normaliseProjection(p *corev1.ProjectedVolumeSource) {
	p.DefaultMode = nil
	for i := range p.Sources {
		source := &p.Sources[i]
		if source.Secret != nil {
			dropModes(source.Secret.Items)
		}
		if source.ConfigMap != nil {
			dropModes(source.ConfigMap.Items)
		}
		if source.ServiceAccountToken != nil {
			source.ServiceAccountToken.ExpirationSeconds = nil
		}
		if source.DownwardAPI != nil {
			for j := range source.DownwardAPI.Items {
				item := &source.DownwardAPI.Items[j]
				item.Mode = nil
				if item.FieldRef != nil {
					item.FieldRef.APIVersion = ""
				}
			}
		}
	}
}

func dropModes(items []corev1.KeyToPath) {
	for i := range items {
		items[i].Mode = nil
	}
}
