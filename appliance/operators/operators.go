// Package operators gives rights to the operators of a landscape: a group that RBAC binds, and certificates for members of the
// group, which are valid for hours. Certificates of system:masters are not used: they could not be revoked before they expire.
package operators

import (
	"context"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/typed/rbac/v1"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/pki"
)

// Group of operators, and the name of the ClusterRoleBinding that gives them the ClusterRole cluster-admin.
const Group = "gardener.cloud:landscape:operators"

// user is what audit logs show.
const user = "gardener-admin"

// masters is the group that an API server never refuses anything.
const masters = "system:masters"

// Part binds the group in a cluster when it starts. Deleting the binding takes the rights of all operators until then.
func Part(name, apiServer, title string, cluster *rest.Config) component.Part {
	return component.Part{After: []string{apiServer}, Title: title, Component: component.NewStep(name, func(ctx context.Context) error {
		return bind(ctx, cluster)
	}, nil)}
}

func bind(ctx context.Context, cluster *rest.Config) error {
	client, err := v1.NewForConfig(cluster)
	if err != nil {
		return err
	}
	_, err = client.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: Group},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: Group}},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("bind the group of operators: %w", err)
	}
	return nil
}

// Issue makes the credential for a request on the control socket.
func Issue(authority *pki.PKI, request daemon.CredentialRequest) (daemon.Credential, error) {
	operator := pki.User{Name: user, Groups: []string{Group}}
	if request.BreakGlass {
		operator.Groups = []string{masters}
	}
	issued, err := authority.Issue(request.Cluster, operator, request.Expiration)
	if err != nil {
		return daemon.Credential{}, err
	}
	return daemon.Credential{Cert: issued.Cert, Key: issued.Key, Expires: issued.Expires}, nil
}
