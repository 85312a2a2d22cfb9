package pluginconfig

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
)

func TestDecode(t *testing.T) {
	type config struct {
		metav1.TypeMeta `json:",inline"`
		A               int `json:"a"`
	}
	for name, tc := range map[string]struct {
		from    io.Reader
		want    int
		refused string
	}{
		"nothing":                    {nil, 0, ""},
		"an empty file":              {strings.NewReader(""), 0, ""},
		"YAML":                       {strings.NewReader("apiVersion: v\nkind: K\na: 3\n"), 3, ""},
		"JSON":                       {strings.NewReader(`{"apiVersion":"v","kind":"L","a":3}`), 3, ""},
		"another kind":               {strings.NewReader("apiVersion: v\nkind: X\n"), 0, "is v X, not v K"},
		"another version":            {strings.NewReader("apiVersion: w\nkind: K\n"), 0, "is w K"},
		"an unknown field":           {strings.NewReader("apiVersion: v\nkind: K\nb: 3\n"), 0, `"b"`},
		"no YAML":                    {strings.NewReader("a: b: c"), 0, "decode configuration"},
		"a file that cannot be read": {iotest.ErrReader(errors.New("boom")), 0, "boom"},
	} {
		t.Run(name, func(t *testing.T) {
			var got config
			admissiontest.WantError(t, Decode(tc.from, "v", []string{"K", "L"}, &got), tc.refused)
			if got.A != tc.want {
				t.Errorf("a is %d, want %d", got.A, tc.want)
			}
		})
	}
}
