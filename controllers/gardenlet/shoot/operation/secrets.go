package operation

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apihelper/tenantkubeconfig"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// ReadSecret reads a Secret that users write in the garden and that extensions get. It refuses kubeconfigs that could run programs
// or read files where an extension uses them. Admission refuses most of them, but not all: it checks only the object that is being
// written. A Secret and the first reference to it may be written at the same time, and no plugin checks the Secrets behind a new
// binding.
func ReadSecret(ctx context.Context, garden client.Reader, key client.ObjectKey) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	if err := garden.Get(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("read secret %q: %w", key, err)
	}
	if err := tenantkubeconfig.CheckData(secret.Data); err != nil {
		return nil, misconfigured("secret %q: %w", key, refusal{err})
	}
	return secret, nil
}

// refusal is the reason why ReadSecret does not return a Secret.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// Refused reports whether ReadSecret has refused a Secret. The deletion of a Shoot continues with the copy in the seed then, so that
// a refused Secret cannot block the deletion for ever.
func Refused(err error) bool { return errors.As(err, new(refusal)) }

// misconfigured is an error that only a change by the user resolves.
func misconfigured(format string, args ...any) error {
	return contract.WithCodes(fmt.Errorf(format, args...), gardencorev1beta1.ErrorConfigurationProblem)
}
