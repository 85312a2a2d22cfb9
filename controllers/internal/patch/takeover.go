package patch

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TakeOver makes the applier the owner of the fields that another one has applied to an object. Its next Apply then removes those that it does not set. Without
// this, they would stay for ever, since their former owner does not come back.
func (a Applier) TakeOver(ctx context.Context, object client.Object, former client.FieldOwner) error {
	present, err := a.unstructured(object)
	if err != nil {
		return err
	}
	if err := a.Client.Get(ctx, client.ObjectKeyFromObject(object), present); err != nil {
		return client.IgnoreNotFound(err)
	}
	fields, found := present.GetManagedFields(), false
	for i := range fields {
		if fields[i].Manager == string(former) && fields[i].Operation == metav1.ManagedFieldsOperationApply {
			fields[i].Operation, found = metav1.ManagedFieldsOperationUpdate, true // in memory: the function below moves those of updates
		}
	}
	if !found {
		return nil
	}
	present.SetManagedFields(fields)
	change, err := csaupgrade.UpgradeManagedFieldsPatch(present, sets.New(string(former)), string(a.Owner))
	if err != nil {
		return fmt.Errorf("take over fields of %s: %w", describe(present), err)
	}
	if err := a.Client.Patch(ctx, present, client.RawPatch(types.JSONPatchType, change)); err != nil {
		return fmt.Errorf("take over fields of %s: %w", describe(present), err)
	}
	return nil
}
