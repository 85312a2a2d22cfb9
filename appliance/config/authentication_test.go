package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAuthenticationFile(t *testing.T) {
	load := func(t *testing.T, file string) error {
		t.Helper()
		config := filepath.Join(t.TempDir(), "gardener.yaml")
		if err := os.WriteFile(config, []byte("garden: {authenticationFile: "+file+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(config, nil)
		return err
	}
	t.Run("the example is valid", func(t *testing.T) {
		file, err := filepath.Abs("../../examples/identity/authentication.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if err := load(t, file); err != nil {
			t.Error(err)
		}
	})
	const kind = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n"
	for name, tc := range map[string]struct{ content, want string }{
		"another kind":         {"apiVersion: v1\nkind: Secret\n", "Secret"},
		"an unknown key":       {kind + "oidc: []\n", `unknown field "oidc"`},
		"an issuer by http":    {kind + "jwt: [{issuer: {url: \"http://a\", audiences: [b]}, claimMappings: {username: {claim: sub, prefix: a}}}]\n", "URL scheme must be https"},
		"users without a name": {kind + "jwt: [{issuer: {url: \"https://a\", audiences: [b]}}]\n", "jwt[0].claimMappings.username"},
	} {
		t.Run("refused is "+name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "authentication.yaml")
			if err := os.WriteFile(file, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			err := load(t, file)
			if err == nil || !strings.Contains(err.Error(), "garden.authenticationFile:") || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v does not contain %q", err, tc.want)
			}
		})
	}
	t.Run("the path is absolute", func(t *testing.T) {
		if err := load(t, "authentication.yaml"); err == nil || !strings.Contains(err.Error(), "absolute") {
			t.Errorf("error: %v", err)
		}
	})
}
