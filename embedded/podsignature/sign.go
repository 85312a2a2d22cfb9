package podsignature

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Annotation of a pod is its signature.
const Annotation = "pods.gardener.local/signature"

// Signer signs pods. A nil Signer signs nothing, for clusters whose nodes run containers.
type Signer struct{ key ed25519.PrivateKey }

// Object signs a pod, or the template of a Deployment, StatefulSet, DaemonSet or Job. It leaves other objects alone. The
// caller must have built the object; an object that was read from an API may have any content.
func (s *Signer) Object(object runtime.Object) error {
	if s == nil {
		return nil
	}
	switch o := object.(type) {
	case *corev1.Pod:
		return s.annotate(&o.ObjectMeta, o.Namespace, &o.Spec)
	case *appsv1.Deployment:
		return s.annotate(&o.Spec.Template.ObjectMeta, o.Namespace, &o.Spec.Template.Spec)
	case *appsv1.DaemonSet:
		return s.annotate(&o.Spec.Template.ObjectMeta, o.Namespace, &o.Spec.Template.Spec)
	case *batchv1.Job:
		return s.annotate(&o.Spec.Template.ObjectMeta, o.Namespace, &o.Spec.Template.Spec)
	case *appsv1.StatefulSet:
		return s.annotate(&o.Spec.Template.ObjectMeta, o.Namespace, withClaims(o))
	}
	return nil
}

// Spec returns the signature of pods that have the spec; empty without a Signer. A Secret whose name in the spec is
// OwnSecret must have the name of the pod.
func (s *Signer) Spec(namespace string, spec *corev1.PodSpec) (string, error) {
	if s == nil {
		return "", nil
	}
	text, err := canonical(namespace, "", spec)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(ed25519.Sign(s.key, text)), nil
}

func (s *Signer) annotate(meta *metav1.ObjectMeta, namespace string, spec *corev1.PodSpec) error {
	signature, err := s.Spec(namespace, spec)
	if err != nil {
		return fmt.Errorf("sign pods of %s: %w", namespace, err)
	}
	annotations := maps.Clone(meta.Annotations) // it may be shared with another object
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[Annotation] = signature
	meta.Annotations = annotations
	return nil
}

// withClaims is the spec with the volumes that the controller of StatefulSets adds.
func withClaims(set *appsv1.StatefulSet) *corev1.PodSpec {
	spec := set.Spec.Template.Spec.DeepCopy()
	for _, claim := range set.Spec.VolumeClaimTemplates {
		spec.Volumes = append(spec.Volumes, corev1.Volume{Name: claim.Name, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: ownClaim},
		}})
	}
	return spec
}

// Equal reports whether both make the same signatures.
func (s *Signer) Equal(other *Signer) bool {
	if s == nil || other == nil {
		return s == other
	}
	return s.key.Equal(other.key)
}
