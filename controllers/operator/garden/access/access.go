// Package access deploys the access to the virtual garden, in the namespace garden of the runtime cluster: a kubeconfig of an
// administrator with a token of hours, and a generic kubeconfig for pods that bring a token of their own. The resource manager of
// the virtual garden requests and renews the tokens. No token is static.
package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/managedresource"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const (
	// SecretName is the name of the Secret whose key kubeconfig is for an administrator of the virtual garden.
	SecretName = "gardener"
	// account is the service account of that administrator, in the namespace kube-system of the virtual garden.
	account = "gardener"
	// resourceName is the ManagedResource that binds the account.
	resourceName = "garden-access"
	// genericName begins the name of the generic kubeconfig; a checksum of the content follows.
	genericName = "generic-token-kubeconfig"
	fieldOwner  = client.FieldOwner("gardener-operator")
)

// roleLabel marks generic kubeconfigs, so that old ones are found.
const roleLabel, roleGeneric = "operator.gardener.cloud/role", "generic-token-kubeconfig"

// Access to a virtual garden. All fields are required.
type Access struct {
	Runtime client.Client // of the runtime cluster
	Reader  client.Reader // of the runtime cluster, uncached
	Virtual host.Connect  // where this process reaches the API server; of its credentials nothing is used
	Garden  host.Access   // where others reach it; Check and Destroy do not need it
}

// To returns the access for a Garden that others reach in this way.
func (a Access) To(garden host.Access) Access {
	a.Garden = garden
	return a
}

// Owns reports whether a Secret of the namespace garden is written by Deploy.
func Owns(secret client.Object) bool {
	return secret.GetName() == SecretName || secret.GetLabels()[roleLabel] == roleGeneric
}

// Deploy writes everything and returns the name of the Secret with the generic kubeconfig. The token comes later: see Check.
func (a Access) Deploy(ctx context.Context) (generic string, err error) {
	secret, resource, err := a.binding()
	if err != nil {
		return "", err
	}
	kubeconfig, err := a.generic()
	if err != nil {
		return "", err
	}
	if err := (patch.Applier{Client: a.Runtime, Owner: fieldOwner}).ApplyAll(ctx, secret, resource, kubeconfig); err != nil {
		return "", err
	}
	return kubeconfig.Name, a.deployLogin(ctx)
}

// binding makes the account an administrator.
func (a Access) binding() (*corev1.Secret, *resourcesv1alpha1.ManagedResource, error) {
	return managedresource.Build(resourceName, constants.GardenNamespace, false, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "gardener.cloud:garden-access"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: metav1.NamespaceSystem, Name: account}},
	})
}

func (a Access) generic() (*corev1.Secret, error) {
	garden := a.Garden
	garden.Server = cmp.Or(garden.ForPods, garden.Server)
	raw, err := encode(kubeconfigFor(garden, clientcmdapi.AuthInfo{TokenFile: tokenFile}))
	if err != nil {
		return nil, err
	}
	secret := pod.Secret(genericName, constants.GardenNamespace, map[string][]byte{resourcesv1alpha1.DataKeyKubeconfig: raw})
	secret.Labels = map[string]string{roleLabel: roleGeneric} // its users find it by the annotation of the Garden
	return secret, nil
}

// Check returns nil if the kubeconfig of the administrator has a token that the virtual garden accepts, for an account with rights.
// It drops a token that the virtual garden refuses, so that the resource manager requests a new one.
func (a Access) Check(ctx context.Context) error {
	secret, err := a.login(ctx)
	if err != nil {
		return err
	}
	if secret == nil {
		return fmt.Errorf("there is no Secret %q", key())
	}
	token := tokenIn(secret.Data[resourcesv1alpha1.DataKeyKubeconfig])
	if token == "" {
		return fmt.Errorf("the kubeconfig in Secret %q has no token yet", key())
	}
	virtual, err := a.Virtual(ctx)
	if err != nil {
		return err
	}
	config := rest.AnonymousClientConfig(virtual)
	config.BearerToken = token
	code, _, err := health.Get(ctx, config, "/api/v1/namespaces?limit=1")
	switch {
	case err != nil:
		return fmt.Errorf("try the kubeconfig in Secret %q: %w", key(), err)
	case code == http.StatusUnauthorized:
		return errors.Join(fmt.Errorf("the virtual garden refuses the token in Secret %q; it is replaced", key()), a.repair(ctx, secret, ""))
	case code != http.StatusOK:
		return fmt.Errorf("the virtual garden answers the kubeconfig in Secret %q with status %d", key(), code)
	}
	return nil
}

// Forget removes the credentials, and asks for the removal of the rest without waiting: the host destroys the virtual garden with all that is
// managed there.
func (a Access) Forget(ctx context.Context) error {
	_, resource, err := a.binding()
	if err != nil {
		return err
	}
	return a.delete(ctx, resource)
}

// Destroy removes everything. It returns an error until everything is gone.
func (a Access) Destroy(ctx context.Context) error {
	secret, resource, err := a.binding()
	if err != nil {
		return err
	}
	if err := a.delete(ctx, resource); err != nil {
		return err
	}
	switch err := a.Reader.Get(ctx, client.ObjectKeyFromObject(resource), resource); {
	case err == nil:
		return fmt.Errorf("still there is ManagedResource %q: the resource manager of the virtual garden removes its objects first", resource.Name)
	case !apierrors.IsNotFound(err):
		return fmt.Errorf("read ManagedResource %q: %w", resource.Name, err)
	}
	if err := a.Runtime.Delete(ctx, secret); client.IgnoreNotFound(err) != nil { // the resource manager needs it until then
		return fmt.Errorf("delete Secret %q: %w", secret.Name, err)
	}
	return nil
}

// delete removes the kubeconfigs and marks the ManagedResource.
func (a Access) delete(ctx context.Context, resource client.Object) error {
	login := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key().Namespace, Name: key().Name}}
	for _, object := range []client.Object{login, resource} {
		if err := a.Runtime.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %q: %w", client.ObjectKeyFromObject(object), err)
		}
	}
	if err := a.Runtime.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace(constants.GardenNamespace), client.MatchingLabels{roleLabel: roleGeneric}); err != nil {
		return fmt.Errorf("delete generic kubeconfigs: %w", err)
	}
	return nil
}
