package reconcile

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// network makes an object with an annotation and a last operation; empty strings leave them out.
func network(annotation string, t gardencorev1beta1.LastOperationType, s gardencorev1beta1.LastOperationState) *extensionsv1alpha1.Network {
	obj := &extensionsv1alpha1.Network{}
	if annotation != "" {
		obj.Annotations = map[string]string{operationAnnotation: annotation}
	}
	if t != "" {
		obj.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: t, State: s}
	}
	return obj
}

func deleted(obj *extensionsv1alpha1.Network, finalizer bool) *extensionsv1alpha1.Network {
	now := metav1.Now()
	obj.DeletionTimestamp = &now
	if finalizer {
		obj.Finalizers = []string{contract.Finalizer(obj)}
	}
	return obj
}

func TestNext(t *testing.T) {
	const (
		reconciled = gardencorev1beta1.LastOperationTypeReconcile
		migrated   = gardencorev1beta1.LastOperationTypeMigrate
		restored   = gardencorev1beta1.LastOperationTypeRestore
		processing = gardencorev1beta1.LastOperationStateProcessing
		succeeded  = gardencorev1beta1.LastOperationStateSucceeded
		failed     = gardencorev1beta1.LastOperationStateError
	)
	changed := network("", reconciled, succeeded)
	changed.Generation = 2
	dying := &contract.Cluster{Shoot: &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{
		DeletionTimestamp: &metav1.Time{Time: time.Now()}, Annotations: map[string]string{"confirmation.gardener.cloud/force-deletion": "true"},
	}}}
	for name, tc := range map[string]struct {
		obj     *extensionsv1alpha1.Network
		cluster *contract.Cluster
		ignore  bool
		want    operation
	}{
		"EXT-3 a request is taken up":                                    {obj: network("reconcile", reconciled, succeeded), want: reconcileOp},
		"EXT-3 without a request nothing is done":                        {obj: network("", reconciled, succeeded), want: nothing},
		"EXT-3 a changed spec alone is no request":                       {obj: changed, want: nothing},
		"EXT-3 a changed spec is a request where annotations are moot":   {obj: changed, ignore: true, want: reconcileOp},
		"EXT-2 an unfinished operation is continued":                     {obj: network("", reconciled, processing), want: reconcileOp},
		"EXT-2 a failed operation is tried again":                        {obj: network("", reconciled, failed), want: reconcileOp},
		"EXT-3 a new object is reconciled":                               {obj: network("", "", ""), want: reconcileOp},
		"EXT-3 an object without its state is left alone":                {obj: network("wait-for-state", "", ""), want: nothing},
		"EXT-3 a restoration is taken up":                                {obj: network("restore", "", ""), want: restoreOp},
		"EXT-3 a failed restoration is tried again":                      {obj: network("restore", restored, failed), want: restoreOp},
		"EXT-3 a migration is taken up":                                  {obj: network("migrate", reconciled, succeeded), want: migrateOp},
		"EXT-3 what was migrated stays alone":                            {obj: network("", migrated, succeeded), want: nothing},
		"EXT-3 what was migrated can be reconciled again":                {obj: network("reconcile", migrated, succeeded), want: reconcileOp},
		"EXT-4 a deletion is carried out":                                {obj: deleted(network("", reconciled, succeeded), true), want: deleteOp},
		"EXT-4 a deletion comes before a reconciliation":                 {obj: deleted(network("reconcile", reconciled, succeeded), true), want: deleteOp},
		"EXT-4 a deletion without our finalizer is none of our business": {obj: deleted(network("", reconciled, succeeded), false), want: nothing},
		"EXT-4 a migration comes before a deletion":                      {obj: deleted(network("migrate", reconciled, succeeded), true), want: migrateOp},
		"EXT-4 a shoot that is forced away takes its objects along":      {obj: deleted(network("", reconciled, failed), true), cluster: dying, want: forceDelete},
	} {
		t.Run(name, func(t *testing.T) {
			if got := next(tc.obj, tc.cluster, tc.ignore); got != tc.want {
				t.Errorf("next is %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTypeOf(t *testing.T) {
	last := func(t gardencorev1beta1.LastOperationType, s gardencorev1beta1.LastOperationState) *gardencorev1beta1.LastOperation {
		return &gardencorev1beta1.LastOperation{Type: t, State: s}
	}
	for name, tc := range map[string]struct {
		op   operation
		last *gardencorev1beta1.LastOperation
		want gardencorev1beta1.LastOperationType
	}{
		"EXT-1 the first time is a creation":              {reconcileOp, nil, "Create"},
		"EXT-1 a creation that failed stays a creation":   {reconcileOp, last("Create", "Error"), "Create"},
		"EXT-1 after a creation come reconciliations":     {reconcileOp, last("Create", "Succeeded"), "Reconcile"},
		"EXT-1 after a restoration come reconciliations":  {reconcileOp, last("Restore", "Succeeded"), "Reconcile"},
		"EXT-1 a forced deletion is a deletion for users": {forceDelete, last("Reconcile", "Error"), "Delete"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := typeOf(tc.op, tc.last); got != tc.want {
				t.Errorf("type is %s, want %s", got, tc.want)
			}
		})
	}
}

func TestResponsible(t *testing.T) {
	class := func(c extensionsv1alpha1.ExtensionClass) *extensionsv1alpha1.ExtensionClass { return &c }
	options := Options[*extensionsv1alpha1.Network]{Types: []string{"local", "calico"}}
	for name, tc := range map[string]struct {
		spec extensionsv1alpha1.DefaultSpec
		want bool
	}{
		"EXT-5 a type in charge":           {extensionsv1alpha1.DefaultSpec{Type: "calico"}, true},
		"EXT-5 another type":               {extensionsv1alpha1.DefaultSpec{Type: "cilium"}, false},
		"EXT-5 the class shoot is implied": {extensionsv1alpha1.DefaultSpec{Type: "local", Class: class("shoot")}, true},
		"EXT-5 another class":              {extensionsv1alpha1.DefaultSpec{Type: "local", Class: class("garden")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := options.responsible(&extensionsv1alpha1.Network{Spec: extensionsv1alpha1.NetworkSpec{DefaultSpec: tc.spec}}); got != tc.want {
				t.Errorf("responsible is %v, want %v", got, tc.want)
			}
		})
	}
}
