package fewerrors

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestOf(t *testing.T) {
	for name, tc := range map[string]struct{ errors, want int }{
		"no error stays none":         {0, 0},
		"as many as are told stay":    {most, most},
		"one more is counted":         {most + 1, most + 1},
		"many become few and a count": {50 * most, most + 1},
	} {
		t.Run(name, func(t *testing.T) {
			var errs field.ErrorList
			for n := range tc.errors {
				errs = append(errs, field.Required(field.NewPath("spec").Index(n), ""))
			}
			got := Of(errs)
			if len(got) != tc.want {
				t.Errorf("%d errors", len(got))
			}
			left := tc.errors > most
			if left != (len(got) > 0 && strings.Contains(got[len(got)-1].Error(), "are not listed")) || len(errs) != tc.errors {
				t.Errorf("%v", got.ToAggregate())
			}
		})
	}
}
