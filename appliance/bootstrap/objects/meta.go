package objects

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// LabelManagedBy with the value ManagedBy marks what a bootstrap has written, and may remove.
const LabelManagedBy, ManagedBy = "app.kubernetes.io/managed-by", "gardener-bootstrap"

// Operator is the name of the operator's Deployment, and of what belongs to it.
const Operator = "gardener-operator"

// meta is that of an object in the namespace of the operator.
func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: constants.GardenNamespace, Labels: map[string]string{LabelManagedBy: ManagedBy}}
}

func kind(apiVersion, name string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: apiVersion, Kind: name}
}
