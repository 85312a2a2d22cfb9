package landscape

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fieldOwner owns the fields of objects that belong to the appliance rather than to the user.
const fieldOwner = client.FieldOwner("gardener-appliance")

// Register writes the objects as this binary defines them and overwrites existing ones. The objects carry their apiVersion
// and kind.
func Register(ctx context.Context, c client.Client, objects []client.Object) error {
	for _, object := range objects {
		text, err := json.Marshal(object)
		if err != nil {
			return fmt.Errorf("encode %s: %w", object.GetName(), err)
		}
		present := object.DeepCopyObject().(client.Object)
		if err := c.Patch(ctx, present, client.RawPatch(types.ApplyPatchType, text), fieldOwner, client.ForceOwnership); err != nil {
			return fmt.Errorf("register %s %s: %w", object.GetObjectKind().GroupVersionKind().Kind, object.GetName(), err)
		}
	}
	return nil
}
