package console

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRecipes(t *testing.T) {
	file := write(t, `# CI
~~~yaml
jobs:
  one:
    steps:
    - uses: actions/checkout@v4
    - run: gardener up   # a comment of YAML
    - if: always()
      run: |
        gardener status || true   # a comment of the shell
        gardener down
~~~
~~~yaml
job:
  after_script:
  - gardener down
  script:
  - gardener up
~~~
~~~yaml
kind: Shoot
~~~
`)
	recipes, err := Recipes(file, "gardener")
	want := []Recipe{
		{Line: 2, Steps: []Step{
			{File: file, Line: 7, Command: "gardener up"},
			{File: file, Line: 10, Command: "gardener status || true   # a comment of the shell\ngardener down"},
		}},
		{Line: 13, Steps: []Step{{File: file, Line: 18, Command: "gardener up"}, {File: file, Line: 16, Command: "gardener down"}}},
	}
	if diff := cmp.Diff(want, recipes); err != nil || diff != "" {
		t.Errorf("APP-36 recipes (-want +got): %v\n%s", err, diff)
	}
	for _, text := range []string{"~~~yaml\njob:\n  other:\n  - gardener up\n~~~\n", "~~~yaml\njob:\n  image: x\n# a comment\ntext: |\n  gardener up\n~~~\n"} {
		var unmarked *Unmarked
		if _, err := Recipes(write(t, text), "gardener"); !errors.As(err, &unmarked) {
			t.Errorf("APP-36 a command outside of a job is not found in %q: %v", text, err)
		}
	}
}
