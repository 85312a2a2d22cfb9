package app

import (
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/supportbundle"
)

func TestSupportBundle(t *testing.T) {
	for name, tc := range map[string]struct {
		missing []supportbundle.Missing
		want    string
	}{
		"all secrets are known":             {want: "7 secret values"},
		"a log is missing":                  {missing: []supportbundle.Missing{{Name: "logs/gardener.log"}}, want: "7 secret values"},
		"the secrets of a seed are missing": {missing: []supportbundle.Missing{{Name: secretsOf + "two"}}, want: "look through it"},
	} {
		t.Run("APP-22 the command says how far secrets are known: "+name, func(t *testing.T) {
			b := bundled{Manifest: supportbundle.Manifest{KnownSecrets: 7, Missing: tc.missing}}
			if said := b.verdict(); !strings.Contains(said, tc.want) {
				t.Errorf("%q", said)
			}
		})
	}
}
