package monitoring

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// The service account of the garden whose tokens give access to all metrics. Deleting it makes its tokens worthless. It comes back when
// the landscape starts, for new tokens.
const (
	ServiceAccount = "landscape-metrics"
	Namespace      = constants.GardenNamespace
	// Audience of these tokens. The garden's API server does not accept tokens for it.
	Audience = "metrics.gardener.cloud"
)

// Role allows to read metrics. It may be bound to other users, whose tokens need the audience, too.
const Role = "gardener.cloud:landscape:metrics"

// clientObjects are what a client needs in the garden.
func clientObjects() []client.Object {
	rbac := rbacv1.SchemeGroupVersion.String()
	return []client.Object{
		&corev1.ServiceAccount{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
			ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: ServiceAccount},
		},
		&rbacv1.ClusterRole{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbac, Kind: "ClusterRole"},
			ObjectMeta: metav1.ObjectMeta{Name: Role},
			Rules:      []rbacv1.PolicyRule{{NonResourceURLs: []string{metricsPath}, Verbs: []string{"get"}}},
		},
		&rbacv1.ClusterRoleBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbac, Kind: "ClusterRoleBinding"},
			ObjectMeta: metav1.ObjectMeta{Name: Role},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: Role},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: Namespace, Name: ServiceAccount}},
		},
	}
}
