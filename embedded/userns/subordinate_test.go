package userns

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/sandbox/ids"
)

func TestSubordinate(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []span
	}{
		"by name":                        {"root:1:2\nada:100000:65536\n", []span{{100000, 65536}}},
		"by number":                      {"1000:100000:65536\n", []span{{100000, 65536}}},
		"several ranges":                 {"ada:100000:65536\n1000:300000:1000\n", []span{{100000, 65536}, {300000, 1000}}},
		"another user":                   {"adam:100000:65536\n100:1:2\n", nil},
		"no end of line":                 {"ada:1:2", []span{{1, 2}}},
		"comments and mistakes":          {"# ada:1:2\n\nada:1\nada:x:2\nada:1:y\nada:-1:2\nada:1:2:3\n:1:2\nada:4294967296:1\n", nil},
		"spaces around a line":           {"  ada:5:6  \n", []span{{5, 6}}},
		"a line that leads to a mapping": {"ada:0:4294967295\n", []span{{0, 4294967295}}},
	} {
		t.Run("APP-11 subordinate IDs "+name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, subordinate(tc.text, "ada", 1000), cmp.AllowUnexported(span{})); diff != "" {
				t.Errorf("IDs (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("APP-11 a user without a name has no lines of nobody", func(t *testing.T) {
		if got := subordinate(":1:2\n", "", 1000); got != nil {
			t.Errorf("found %v", got)
		}
	})
}

// numbers is a range by its first number inside, its first number outside and its size.
func numbers(inside, outside, size uint32) ids.Range {
	return ids.Range{Inside: inside, Outside: outside, Size: size}
}

func TestRanges(t *testing.T) {
	own := ids.Range{Inside: 0, Outside: 1000, Size: 1}
	for name, tc := range map[string]struct {
		spans []span
		want  []ids.Range // nil if there are too few
	}{
		"as systems give them":      {[]span{{100000, 65536}}, []ids.Range{own, numbers(1, 100000, 65536)}},
		"two ranges make one":       {[]span{{100000, 30000}, {200000, 40000}}, []ids.Range{own, numbers(1, 100000, 30000), numbers(30001, 200000, 40000)}},
		"none":                      {nil, nil},
		"too few":                   {[]span{{100000, 65535}}, nil},
		"a line twice":              {[]span{{100000, 65536}, {100000, 65536}}, []ids.Range{own, numbers(1, 100000, 65536)}},
		"ranges that overlap":       {[]span{{100000, 65536}, {165535, 10}}, []ids.Range{own, numbers(1, 100000, 65536)}},
		"an empty one":              {[]span{{5, 0}, {100000, 65536}}, []ids.Range{own, numbers(1, 100000, 65536)}},
		"root of the machine":       {[]span{{0, 65536}}, nil},
		"the user himself":          {[]span{{999, 65536}}, nil},
		"beyond the last ID":        {[]span{{4294901760, 65536}}, nil},
		"more than there are users": {[]span{{100000, 4294000000}, {1, 4}}, []ids.Range{own, numbers(1, 100000, 4294000000), numbers(4294000001, 1, 4)}},
	} {
		t.Run("APP-11 users by subordinate IDs: "+name, func(t *testing.T) {
			got, err := ranges(1000, tc.spans)
			if (err != nil) != (tc.want == nil) {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("ranges (-want +got):\n%s", diff)
			}
		})
	}
}
