package shoot

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWarnedFieldsAreDocumented compares docs/api.md with the lists that warnings are made of.
func TestWarnedFieldsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	var without, old []string
	for _, field := range ineffective {
		without = append(without, field.path)
	}
	for _, field := range outdated {
		old = append(old, field.path)
	}
	for name, want := range map[string][]string{"ineffective": without, "outdated": old} {
		t.Run(name, func(t *testing.T) {
			_, list, found := strings.Cut(string(text), "<!-- "+name+" -->\n")
			list, _, _ = strings.Cut(list, "<!-- end -->")
			if !found {
				t.Fatal("there is no such list")
			}
			var got []string
			for line := range strings.Lines(list) {
				got = append(got, strings.Split(line, "`")[1])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-code +docs/api.md):\n%s", diff)
			}
		})
	}
}
