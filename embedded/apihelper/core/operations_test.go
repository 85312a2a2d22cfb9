package core

import (
	"strings"
	"testing"
)

func TestWithoutSwallowed(t *testing.T) {
	for asked, want := range map[string]string{
		"rotate-credentials-start;rotate-ca-start;rotate-ssh-keypair;rotate-observability-credentials": "rotate-credentials-start",
		"rotate-etcd-encryption-key;rotate-credentials-start-without-workers-rollout":                  "rotate-credentials-start-without-workers-rollout",
		"rotate-ca-complete;rotate-credentials-complete;rotate-ssh-keypair":                            "rotate-credentials-complete;rotate-ssh-keypair",
		"rotate-ca-start;rotate-ssh-keypair":                                                           "rotate-ca-start;rotate-ssh-keypair",
		"rotate-credentials-start":                                                                     "rotate-credentials-start",
	} {
		if got := strings.Join(WithoutSwallowed(strings.Split(asked, ";")), ";"); got != want {
			t.Errorf("CAR-3 %s became %s, want %s", asked, got, want)
		}
	}
}
