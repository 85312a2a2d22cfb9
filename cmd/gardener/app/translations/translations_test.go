package translations

import "testing"

func TestNeeded(t *testing.T) {
	for name, tc := range map[string]struct {
		environment map[string]string
		want        bool
	}{
		"no language is English":        {nil, false},
		"English of a country":          {map[string]string{"LANG": "en_GB.UTF-8"}, false},
		"the language of C":             {map[string]string{"LANG": "C.UTF-8"}, false},
		"without an encoding, too":      {map[string]string{"LANG": "C"}, false},
		"German":                        {map[string]string{"LANG": "de_DE.UTF-8"}, true},
		"the language of messages":      {map[string]string{"LANG": "en_US.UTF-8", "LC_MESSAGES": "ja_JP.UTF-8"}, true},
		"one variable decides over all": {map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := needed(func(variable string) string { return tc.environment[variable] }); got != tc.want {
				t.Errorf("needed: %v, want %v", got, tc.want)
			}
		})
	}
}
