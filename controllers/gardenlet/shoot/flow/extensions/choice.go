package extensions

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Choice chooses extensions.
type Choice func(operation.Extension) bool

// Every extension is chosen.
func Every(operation.Extension) bool { return true }

// None is chosen.
func None(operation.Extension) bool { return false }

// BeforeAPIServer and AfterAPIServer choose extensions by their turn in a reconciliation.
func BeforeAPIServer(e operation.Extension) bool {
	return e.Reconcile == gardencorev1beta1.BeforeKubeAPIServer
}

// AfterAPIServer chooses the extensions that BeforeAPIServer does not.
func AfterAPIServer(e operation.Extension) bool { return !BeforeAPIServer(e) }

// DeletedAfterAPIServer chooses the extensions that outlive kube-apiserver.
func DeletedAfterAPIServer(e operation.Extension) bool {
	return e.Delete == gardencorev1beta1.AfterKubeAPIServer
}
