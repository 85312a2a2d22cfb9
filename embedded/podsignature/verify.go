package podsignature

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// Reasons why a pod is not genuine.
var (
	ErrUnsigned = errors.New("the pod has no signature of this landscape")
	ErrChanged  = errors.New("the signature of the pod is of other content, or of another landscape")
)

// Verifier recognises pods that a Signer has signed.
type Verifier struct{ key ed25519.PublicKey }

// Verifier returns the verifier of this signer's signatures.
func (s *Signer) Verifier() *Verifier {
	return &Verifier{key: s.key.Public().(ed25519.PublicKey)}
}

// Verify returns nil if the signer has signed everything that the processes of the pod depend on. The error is or wraps ErrUnsigned
// or ErrChanged, or names a property that no signed pod has.
func (v *Verifier) Verify(pod *corev1.Pod) error {
	text := pod.Annotations[Annotation]
	if text == "" {
		return ErrUnsigned
	}
	signature, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return fmt.Errorf("%w: decode signature: %w", ErrChanged, err)
	}
	content, err := canonical(pod.Namespace, pod.Name, &pod.Spec)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	if !ed25519.Verify(v.key, content, signature) {
		return ErrChanged
	}
	return nil
}
