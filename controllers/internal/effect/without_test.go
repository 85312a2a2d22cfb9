package effect_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/controllers/internal/effect"
)

type configuration struct {
	Format  string                   `json:"format,omitempty" effect:"none" instead:"another key"`
	Acting  *part                    `json:"acting,omitempty"`
	Ignored *part                    `json:"ignored,omitempty" effect:"none"`
	Shared  componentconfig.Requests `json:"shared,omitempty"`
	Alone   *string                  `json:"alone,omitempty" effect:"process"`
	List    []part                   `json:"list,omitempty"`
}

type part struct {
	Number *int `json:"number,omitempty"`
	Quiet  bool `json:"quiet,omitempty" effect:"none"`
}

func TestKeys(t *testing.T) {
	defaults := configuration{Format: "json", Ignored: &part{Number: new(5)}, Alone: new("a")}
	for name, tc := range map[string]struct {
		set  configuration
		want []string
	}{
		"an empty configuration has none":                       {},
		"a value has no effect, and another key is recommended": {configuration{Format: "text"}, []string{"format (use another key instead)"}},
		"defaults cause no warning":                             {configuration{Format: "json", Ignored: &part{Number: new(5)}}, nil},
		"a section with a default and another value":            {configuration{Ignored: &part{Number: new(5), Quiet: true}}, []string{"ignored"}},
		"a section with another number":                         {configuration{Ignored: &part{Number: new(6)}}, []string{"ignored"}},
		"a key below a section that acts":                       {configuration{Acting: &part{Number: new(1), Quiet: true}}, []string{"acting.quiet"}},
		"an empty section sets nothing":                         {configuration{Ignored: &part{}}, nil},
		"a key of an element of a list":                         {configuration{List: []part{{Number: new(1)}, {Quiet: true}}}, []string{"list[1].quiet"}},
		"a key below a section that components share":           {configuration{Shared: componentconfig.Requests{ContentType: "a", QPS: 1}}, []string{"shared.contentType"}},
		"a key of a process is another matter":                  {configuration{Alone: new("b")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, effect.Keys(tc.set, defaults, effect.None)); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff([]string{"alone"}, effect.Keys(configuration{Alone: new("b")}, defaults, effect.Process)); diff != "" {
		t.Errorf("keys of a process (-want +got):\n%s", diff)
	}
}
