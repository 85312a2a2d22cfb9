package extensions

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Choice selects extensions.
type Choice func(operation.Extension) bool

// Every selects all extensions.
func Every(operation.Extension) bool { return true }

// None selects no extension.
func None(operation.Extension) bool { return false }

// BeforeAPIServer and AfterAPIServer select extensions by their order in a reconciliation.
func BeforeAPIServer(e operation.Extension) bool {
	return e.Reconcile == gardencorev1beta1.BeforeKubeAPIServer
}

// AfterWorkers selects extensions that need the nodes.
func AfterWorkers(e operation.Extension) bool { return e.Reconcile == gardencorev1beta1.AfterWorker }

// AfterAPIServer selects the extensions that neither BeforeAPIServer nor AfterWorkers selects.
func AfterAPIServer(e operation.Extension) bool { return !BeforeAPIServer(e) && !AfterWorkers(e) }

// DeletedAfterAPIServer selects the extensions that are deleted after kube-apiserver.
func DeletedAfterAPIServer(e operation.Extension) bool {
	return e.Delete == gardencorev1beta1.AfterKubeAPIServer
}

// MigratedBefore selects the extensions that are migrated before kube-apiserver stops.
func MigratedBefore(e operation.Extension) bool {
	return e.Migrate != gardencorev1beta1.AfterKubeAPIServer
}
