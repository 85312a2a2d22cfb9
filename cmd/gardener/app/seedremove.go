package app

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// tryRemoval asks the garden whether the seed could be removed, and says so.
func tryRemoval(cmd *cobra.Command, l *landscape, name string, rehearsal *rehearsal) error {
	control, err := l.running()
	if err != nil {
		return err
	}
	report, err := askReport(cmd.Context(), control, answersTimeout)
	if err != nil {
		return err
	}
	garden, err := l.garden(cmd.Context())
	if err != nil {
		return err
	}
	seed, err := removable(cmd.Context(), garden, name, l.Landscape.Seed.Name, report.Parts, rehearsal)
	if err != nil {
		return err
	}
	rehearsal.note(seed, seed)
	return rehearsal.tell(cmd, garden.Scheme(), "seed "+name, "would be removed")
}

// removable returns a further seed if the garden lets it go.
func removable(ctx context.Context, garden client.Client, name, first string, parts []component.Status, rehearsal *rehearsal) (*gardencorev1beta1.Seed, error) {
	seed := &gardencorev1beta1.Seed{}
	if err := garden.Get(ctx, types.NamespacedName{Name: name}, seed); apierrors.IsNotFound(err) {
		return nil, &exitError{code: codeNotFound, err: fmt.Errorf("there is no seed %q", name), hint: `see "gardener seed list"`}
	} else if err != nil {
		return nil, fmt.Errorf("read seed %s: %w", name, err)
	}
	if source := sourceOf(seed, first, parts); source != sourceEmbedded {
		return nil, &exitError{code: codeFailure, err: fmt.Errorf("seed %q was not added with \"gardener seed add\"", name), hint: `"gardener seed list" shows where seeds come from`}
	}
	if err := garden.Delete(ctx, seed, rehearsal.remove()...); err != nil {
		return nil, cured(fmt.Errorf("remove seed %s: %w", name, err), `"gardener seed list" shows how many shoots seeds have`)
	}
	return seed, nil
}
