// Package observability keeps the password with which operators read the metrics of a whole landscape. It is in the namespace garden of
// the runtime cluster, where only operators read Secrets. Who serves the metrics accepts what is there.
package observability

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	user   = "admin"
	length = 32 // characters
)

// Password of a garden. All fields are required.
type Password struct {
	Runtime client.Client // of the runtime cluster
	Reader  client.Reader // of the runtime cluster, uncached
	Clock   clock.PassiveClock
}

// Deploy makes the password, unless there is one that was made since the last rotation began. The former ones go, and are refused from
// then on. The Secret has the keys username, password and auth (a line for htpasswd); Selector finds it.
func (p Password) Deploy(ctx context.Context, rotated time.Time) error {
	settings := p.settings()
	if !rotated.IsZero() {
		settings.Rotations = map[string]time.Time{constants.SecretNameObservabilityIngress: rotated}
	}
	secrets, err := secretsmanager.New(ctx, settings)
	if err != nil {
		return err
	}
	config := secretsmanager.BasicAuth{Name: constants.SecretNameObservabilityIngress, Username: user, PasswordLength: length}
	if _, err := secrets.Generate(ctx, config); err != nil {
		return err
	}
	return secrets.Cleanup(ctx)
}

// Owns reports whether a Secret of the namespace garden is the password.
func Owns(secret client.Object) bool {
	return labels.SelectorFromSet(Selector()).Matches(labels.Set(secret.GetLabels()))
}

// Destroy removes the password.
func (p Password) Destroy(ctx context.Context) error {
	if err := p.Runtime.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace(constants.GardenNamespace), client.MatchingLabels(Selector())); err != nil {
		return fmt.Errorf("delete the password of observability: %w", err)
	}
	return nil
}

func (p Password) settings() secretsmanager.Settings {
	return secretsmanager.Settings{
		Reader: p.Reader, Writer: p.Runtime, Clock: p.Clock, Namespace: constants.GardenNamespace,
		Identity: constants.SecretManagerIdentityOperator, Names: []string{constants.SecretNameObservabilityIngress},
	}
}

// Selector are the labels of the Secret in the namespace garden of the runtime cluster.
func Selector() map[string]string {
	return map[string]string{
		secretsmanager.LabelManagedBy: secretsmanager.ManagedBy, secretsmanager.LabelManagerIdentity: constants.SecretManagerIdentityOperator,
		secretsmanager.LabelName: constants.SecretNameObservabilityIngress,
	}
}
