package app

import (
	"bytes"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/component"
)

func TestWarningsOfStoppedParts(t *testing.T) {
	parts := []component.Status{{Name: "dns"}, {Name: "etcd", NeededBy: "a,b"}, {Name: "kinds", Once: true, NeededBy: "a"}}
	for part, want := range map[string]string{
		"dns":   "",
		"etcd":  "warning: until \"gardener part start etcd\", these parts cannot do all their work: a, b\n",
		"kinds": "warning: part \"kinds\" only does something when it starts; what it did then stays\n",
	} {
		t.Run("APP-35 a stop says what it does not do: "+part, func(t *testing.T) {
			var out bytes.Buffer
			warnOf(func(text string) { newDisplay().warn(&out, text) }, parts, part)
			if out.String() != want {
				t.Errorf("%q, want %q", out.String(), want)
			}
		})
	}
}
