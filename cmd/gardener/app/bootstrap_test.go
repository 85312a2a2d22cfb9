package app

import (
	"testing"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/examine"
)

func TestBootstrapFlags(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		had  bool
		want bool
	}{
		"ETC-2 a new garden has no protection of its etcds":    {nil, false, false},
		"ETC-2 a new garden has it if that is asked for":       {[]string{"--etcd-component-protection"}, false, true},
		"ETC-2 a garden with it keeps it":                      {nil, true, true},
		"ETC-2 a garden with it loses it if that is asked for": {[]string{"--etcd-component-protection=false"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := &bootstrapFlags{}
			cmd := b.command(nil)
			if err := cmd.ParseFlags(tc.args); err != nil {
				t.Fatal(err)
			}
			if got := b.inputs("image", examine.Facts{ProtectsEtcds: tc.had}, cmd.Flags().Changed(protectEtcdsFlag)).ProtectEtcds; got != tc.want {
				t.Errorf("protection %t, want %t", got, tc.want)
			}
		})
	}
}
