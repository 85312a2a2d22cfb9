package managedseed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	bootstrapapi "k8s.io/cluster-bootstrap/token/api"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/embedded/apihelper/bootstraptoken"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

const (
	// tokenLifetime is the longest that the garden allows gardenlets.
	tokenLifetime = 24 * time.Hour
	// tokenRest is how long a token must still be valid; a gardenlet that starts takes less.
	tokenRest = time.Hour
)

// access lets the gardenlet in the shoot request its certificate, and request another one if the ManagedSeed asks for it.
func (r *Reconciler) access(ctx context.Context, managed *seedmanagementv1alpha1.ManagedSeed, shoot *gardencorev1beta1.Shoot) error {
	gardenlet := managed.Spec.Gardenlet
	if gardenlet == nil || ptr.Deref(gardenlet.Bootstrap, seedmanagementv1alpha1.BootstrapToken) != seedmanagementv1alpha1.BootstrapToken {
		return r.refuse(ctx, managed) // the operator provides the access
	}
	connection, err := connectionOf(gardenlet)
	if err != nil {
		return err
	}
	cluster, err := r.Connect(ctx, shoot.Status.TechnicalID)
	if err != nil {
		return err
	}
	renew := wantsRenewal(managed)
	if renew {
		if err := forget(ctx, cluster, connection.KubeconfigSecret); err != nil {
			return err
		}
	}
	if err := r.invite(ctx, managed, cluster, connection); err != nil || !renew {
		return err
	}
	return r.finish(ctx, managed)
}

func wantsRenewal(managed *seedmanagementv1alpha1.ManagedSeed) bool {
	return managed.Annotations[constants.GardenerOperation] == constants.GardenerOperationRenewKubeconfig
}

// refuse says that the operation cannot have an effect.
func (r *Reconciler) refuse(ctx context.Context, managed *seedmanagementv1alpha1.ManagedSeed) error {
	if !wantsRenewal(managed) {
		return nil
	}
	r.Recorder.Eventf(managed, nil, corev1.EventTypeWarning, "RenewalImpossible", "Renew",
		"The gardenlet of this ManagedSeed gets no bootstrap token from Gardener (spec.gardenlet.bootstrap is not BootstrapToken): its operator has to renew its kubeconfig")
	return r.finish(ctx, managed)
}

// finish removes the operation.
func (r *Reconciler) finish(ctx context.Context, managed *seedmanagementv1alpha1.ManagedSeed) error {
	if err := patch.Metadata(ctx, r.Garden, managed, func() { delete(managed.Annotations, constants.GardenerOperation) }); err != nil {
		return fmt.Errorf("remove operation of managed seed %q: %w", managed.Name, err)
	}
	return nil
}

// forget deletes the certificate of the gardenlet, which requests another one with the token that it gets then.
func forget(ctx context.Context, cluster client.Client, ref *corev1.SecretReference) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ref.Namespace, Name: ref.Name}}
	if err := cluster.Delete(ctx, secret); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete secret %s/%s of the shoot: %w", ref.Namespace, ref.Name, err)
	}
	return nil
}

// invite gives the gardenlet in the shoot a bootstrap token, unless it has a certificate or a token.
func (r *Reconciler) invite(ctx context.Context, managed *seedmanagementv1alpha1.ManagedSeed, cluster client.Client, connection config.GardenClientConnection) error {
	certificate, err := kubeconfigIn(ctx, cluster, connection.KubeconfigSecret)
	if err != nil {
		return err
	}
	if expires, err := bootstrap.Expires(certificate, managed.Name); err == nil && r.Clock.Now().Before(expires) {
		return nil
	}
	invitation, err := kubeconfigIn(ctx, cluster, connection.BootstrapKubeconfig)
	if err != nil {
		return err
	}
	token, err := r.token(ctx, managed)
	if err != nil {
		return err
	}
	if token != nil && bytes.Contains(invitation, []byte(bootstraptoken.Token(token))) {
		return nil
	}
	return r.writeInvitation(ctx, managed, cluster, *connection.BootstrapKubeconfig)
}

// writeInvitation replaces the token, after which the former one is worth nothing.
func (r *Reconciler) writeInvitation(ctx context.Context, managed *seedmanagementv1alpha1.ManagedSeed, cluster client.Client, to corev1.SecretReference) error {
	token := bootstraptoken.New(
		bootstraptoken.ID(managed.Namespace, managed.Name), fmt.Sprintf("Bootstrap token for the gardenlet of ManagedSeed %q", managed.Name), r.Clock.Now().Add(tokenLifetime))
	former := &corev1.Secret{ObjectMeta: token.ObjectMeta}
	if err := r.Garden.Delete(ctx, former); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete former bootstrap token of managed seed %q: %w", managed.Name, err)
	}
	if err := r.Garden.Create(ctx, token); err != nil {
		return fmt.Errorf("create bootstrap token of managed seed %q: %w", managed.Name, err)
	}
	garden, err := r.Address.Now()
	if err != nil {
		return err
	}
	kubeconfig, err := garden.TokenKubeconfig(bootstraptoken.Token(token))
	if err != nil {
		return fmt.Errorf("make bootstrap kubeconfig of managed seed %q: %w", managed.Name, err)
	}
	if err := bootstrap.Write(ctx, cluster, to, kubeconfig); err != nil {
		return fmt.Errorf("shoot of managed seed %q: %w", managed.Name, err)
	}
	log.FromContext(ctx).Info("Gave the gardenlet of a managed seed a bootstrap token")
	return nil
}

// token is the token of the ManagedSeed in the garden; nil if there is none, or none that is valid for a while.
func (r *Reconciler) token(ctx context.Context, managed *seedmanagementv1alpha1.ManagedSeed) (*corev1.Secret, error) {
	token := &corev1.Secret{}
	name := bootstraptoken.SecretName(bootstraptoken.ID(managed.Namespace, managed.Name))
	if err := r.Reader.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: name}, token); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("read bootstrap token of managed seed %q: %w", managed.Name, err)
	}
	expires, err := time.Parse(time.RFC3339, string(token.Data[bootstrapapi.BootstrapTokenExpirationKey]))
	if err != nil || expires.Sub(r.Clock.Now()) < tokenRest {
		return nil, nil
	}
	return token, nil
}

// connectionOf says where the gardenlet keeps its access to the garden: the usual Secrets unless its configuration names others.
func connectionOf(gardenlet *seedmanagementv1alpha1.GardenletConfig) (config.GardenClientConnection, error) {
	wanted := config.GardenletConfiguration{}
	if gardenlet.Config != nil && len(gardenlet.Config.Raw) > 0 {
		if err := json.Unmarshal(gardenlet.Config.Raw, &wanted); err != nil {
			return config.GardenClientConnection{}, fmt.Errorf("read configuration of the gardenlet: %w", err)
		}
	}
	connection := wanted.GardenClientConnection
	if connection.KubeconfigSecret == nil {
		connection.KubeconfigSecret = &corev1.SecretReference{Namespace: constants.GardenNamespace, Name: constants.GardenletKubeconfigSecretName}
	}
	if connection.BootstrapKubeconfig == nil {
		connection.BootstrapKubeconfig = &corev1.SecretReference{Namespace: constants.GardenNamespace, Name: constants.GardenletBootstrapKubeconfigSecretName}
	}
	return connection, nil
}

// kubeconfigIn reads a kubeconfig of the gardenlet; nil if there is none.
func kubeconfigIn(ctx context.Context, cluster client.Client, ref *corev1.SecretReference) ([]byte, error) {
	secret := &corev1.Secret{}
	err := cluster.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, secret)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read secret %s/%s of the shoot: %w", ref.Namespace, ref.Name, err)
	}
	return secret.Data[constants.DataKeyKubeconfig], nil
}
