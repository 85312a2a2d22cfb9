package seedrestriction

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	bootstrapapi "k8s.io/cluster-bootstrap/token/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
	"github.com/gardener-up/gardener-up/embedded/apihelper/bootstraptoken"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// bootstrapValidity limits the validity of bootstrap tokens. Clocks may differ by the hour beyond a day.
const bootstrapValidity = 25 * time.Hour

// bootstraps are the checks of what the gardenlet of a ManagedSeed gets its first certificate with. The gardenlet of the
// seed with the shoot makes it. A change may give as much as a creation, so both are checked. Nothing but a ManagedSeed on a
// shoot of the seed leads from these kinds to the seed.
func bootstraps() map[schema.GroupKind]creation {
	return map[schema.GroupKind]creation{
		{Kind: "Secret"}:         bootstrapToken,
		{Kind: "ServiceAccount"}: bootstrapAccount,
		{Group: rbacv1.GroupName, Kind: "ClusterRoleBinding"}: bootstrapBinding,
	}
}

// tokenKeys may be in a token. Further groups are not among them.
var tokenKeys = []string{
	bootstrapapi.BootstrapTokenIDKey, bootstrapapi.BootstrapTokenSecretKey, bootstrapapi.BootstrapTokenDescriptionKey,
	bootstrapapi.BootstrapTokenExpirationKey, bootstrapapi.BootstrapTokenUsageAuthentication, bootstrapapi.BootstrapTokenUsageSigningKey,
}

func bootstrapToken(ctx context.Context, r request, object client.Object) (string, error) {
	secret, ok := object.(*corev1.Secret)
	if !ok {
		return "", fmt.Errorf("expected a Secret, got a %T", object)
	}
	if secret.Type != corev1.SecretTypeBootstrapToken {
		return "", nil // newSecret looks at it
	}
	id := string(secret.Data[bootstrapapi.BootstrapTokenIDKey])
	if secret.Namespace != metav1.NamespaceSystem || secret.Name != bootstraptoken.SecretName(id) || !r.leads(ctx, graph.Vertex{Kind: graph.BootstrapToken, Name: id}) {
		return fmt.Sprintf("may not write the bootstrap token %q: it is not that of a ManagedSeed on a shoot of the seed", secret.Name), nil
	}
	for key := range secret.Data {
		if !slices.Contains(tokenKeys, key) {
			return fmt.Sprintf("may not write a bootstrap token with the key %q", key), nil
		}
	}
	expires, err := time.Parse(time.RFC3339, string(secret.Data[bootstrapapi.BootstrapTokenExpirationKey]))
	if err != nil || time.Until(expires) > bootstrapValidity {
		return fmt.Sprintf("may not write a bootstrap token without a time in %q that is at most 24h from now", bootstrapapi.BootstrapTokenExpirationKey), nil
	}
	return "", nil
}

func bootstrapAccount(ctx context.Context, r request, object client.Object) (string, error) {
	if object.GetNamespace() == constants.SeedNamespaceNamePrefix+r.seed {
		return "", nil // of an extension
	}
	if r.leads(ctx, graph.Vertex{Kind: graph.ServiceAccount, Namespace: object.GetNamespace(), Name: object.GetName()}) {
		return "", nil
	}
	return fmt.Sprintf("may not write the ServiceAccount %q in namespace %q: it is not that of a ManagedSeed on a shoot of the seed", object.GetName(), object.GetNamespace()), nil
}

func bootstrapBinding(ctx context.Context, r request, object client.Object) (string, error) {
	binding, ok := object.(*rbacv1.ClusterRoleBinding)
	if !ok {
		return "", fmt.Errorf("expected a ClusterRoleBinding, got a %T", object)
	}
	if !r.leads(ctx, graph.Vertex{Kind: graph.ClusterRoleBinding, Name: binding.Name}) {
		return fmt.Sprintf("may not write the ClusterRoleBinding %q: it is not that of a ManagedSeed on a shoot of the seed", binding.Name), nil
	}
	role := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: bootstraptoken.Role}
	for _, subject := range binding.Subjects {
		account := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: constants.GardenNamespace, Name: subject.Name}
		if subject != account || bootstraptoken.Binding(subject.Namespace, subject.Name) != binding.Name {
			return fmt.Sprintf("may not bind %s %q in the ClusterRoleBinding %q", subject.Kind, subject.Name, binding.Name), nil
		}
	}
	if binding.RoleRef != role {
		return fmt.Sprintf("may bind the ClusterRole %q only", bootstraptoken.Role), nil
	}
	return "", nil
}
