package names

import (
	"context"
	"fmt"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
)

// Place asks the garden where the shoot is whose control plane has a namespace: seed is the one that is responsible for it, or empty if
// there is no such shoot. moving means that the shoot leaves a seed and is not restored on another one yet.
func (z Zone) Place(ctx context.Context, namespace string) (seed string, moving bool, err error) {
	garden, err := z.Garden()
	if err != nil {
		return "", false, fmt.Errorf("ask the garden for the seed of %q: %w", namespace, err)
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	shoot, err := Garden{garden}.shoot(ctx, namespace)
	if err != nil || shoot == nil {
		return "", false, err
	}
	return helper.ResponsibleSeed(shoot), helper.Migrates(shoot), nil
}
