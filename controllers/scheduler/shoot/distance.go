package shoot

import (
	"regexp"
	"strings"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// nearest implements the strategy MinimalDistance: seeds in the region of the shoot with its provider, or else the seeds
// with the smallest distance.
func nearest(r *Request, seeds []*gardencorev1beta1.Seed) []*gardencorev1beta1.Seed {
	best, found := 0, []*gardencorev1beta1.Seed(nil)
	for _, seed := range seeds {
		distance := distanceTo(r.Shoot, seed)
		if len(found) == 0 || distance < best {
			best, found = distance, nil
		}
		if distance == best {
			found = append(found, seed)
		}
	}
	return found
}

// exact is less than any distance. Different names may have the distance 0.
const exact = -1

// otherProvider is added for a seed whose provider is not that of the shoot.
const otherProvider = 2

func distanceTo(shoot *gardencorev1beta1.Shoot, seed *gardencorev1beta1.Seed) int {
	sameProvider := shoot.Spec.Provider.Type == seed.Spec.Provider.Type
	switch distance := regionDistance(shoot.Spec.Region, seed.Spec.Provider.Region); {
	case sameProvider && shoot.Spec.Region == seed.Spec.Provider.Region:
		return exact
	case sameProvider:
		return distance
	default:
		return distance + otherProvider
	}
}

// regionDistance compares the names of two regions: twice the distance of their bases, and 2 for different orientations
// or 1 if only one of them has an orientation.
func regionDistance(a, b string) int {
	baseA, orientationA := splitRegion(a)
	baseB, orientationB := splitRegion(b)
	distance := 2 * levenshtein([]rune(baseA), []rune(baseB))
	switch {
	case orientationA == orientationB:
		return distance
	case orientationA == "" || orientationB == "":
		return distance + 1
	default:
		return distance + 2
	}
}

var orientations = regexp.MustCompile("north|south|east|west|central")

// splitRegion returns the name without its orientation, and the orientation. That of "ap-southeast-1" is "southeast".
func splitRegion(name string) (base, orientation string) {
	return orientations.ReplaceAllString(name, ""), strings.Join(orientations.FindAllString(name, -1), "")
}

// levenshtein is the least number of runes to insert, remove or replace to get b from a.
func levenshtein(a, b []rune) int {
	row := make([]int, len(b)+1) // row[j] is the distance of the runes of a so far and b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
