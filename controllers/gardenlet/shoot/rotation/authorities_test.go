package rotation

import "testing"

func TestWithoutAuthorities(t *testing.T) {
	for asked, want := range map[string]string{
		"rotate-ca-start":                               "",
		"rotate-credentials-start":                      "",
		"rotate-ca-start;rotate-ssh-keypair":            "rotate-ssh-keypair",
		"rotate-ca-start-without-workers-rollout;retry": "retry",
		"rotate-ca-complete":                            "rotate-ca-complete",
		"rotate-serviceaccount-key-start":               "rotate-serviceaccount-key-start",
	} {
		if got := WithoutAuthorities(asked); got != want {
			t.Errorf("CAR-1 %s becomes %q, want %q", asked, got, want)
		}
	}
}
