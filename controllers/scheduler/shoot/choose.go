package shoot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/controllers/scheduler/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Choose returns the seed with the fewest shoots among those that pass all filters and that the strategy prefers; ties
// are broken by name. The error says for every reason how many seeds it excludes.
func Choose(request *Request, seeds []gardencorev1beta1.Seed) (*gardencorev1beta1.Seed, error) {
	var candidates []*gardencorev1beta1.Seed
	reasons := map[string][]string{}
	for i := range seeds {
		if err := check(request, &seeds[i]); err != nil {
			reasons[err.Error()] = append(reasons[err.Error()], seeds[i].Name)
			continue
		}
		candidates = append(candidates, &seeds[i])
	}
	if len(candidates) == 0 {
		return nil, explain(len(seeds), reasons)
	}
	if request.Strategy == config.MinimalDistance && !request.anyRegion() {
		candidates = nearest(request, candidates)
	}
	return slices.MinFunc(candidates, func(a, b *gardencorev1beta1.Seed) int {
		return cmp.Or(cmp.Compare(request.Hosted[a.Name], request.Hosted[b.Name]), strings.Compare(a.Name, b.Name))
	}), nil
}

func check(request *Request, seed *gardencorev1beta1.Seed) error {
	for _, filter := range filters {
		if err := filter(request, seed); err != nil {
			return err
		}
	}
	return nil
}

func explain(total int, reasons map[string][]string) error {
	if total == 0 {
		return fmt.Errorf("there is no seed")
	}
	var texts []string
	for reason, seeds := range reasons {
		slices.Sort(seeds)
		texts = append(texts, fmt.Sprintf("%s (%s)", reason, strings.Join(seeds, ", ")))
	}
	slices.Sort(texts)
	return fmt.Errorf("none of %d seeds can host the shoot: %s", total, strings.Join(texts, "; "))
}
