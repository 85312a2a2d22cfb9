package tokenrequestor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/tokenrequestor"
)

func TestRenewAt(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct{ lifetime, want time.Duration }{
		"GRM-30 at 80 % of the lifetime":      {10 * time.Hour, 8 * time.Hour},
		"GRM-30 after 24 hours at the latest": {100 * time.Hour, 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tokenrequestor.RenewAt(now, now.Add(tc.lifetime)).Sub(now); got != tc.want {
				t.Errorf("renewed after %s, want %s", got, tc.want)
			}
		})
	}
}

func TestLifetime(t *testing.T) {
	const annotation = "serviceaccount.resources.gardener.cloud/token-expiration-duration"
	for name, tc := range map[string]struct {
		annotations map[string]string
		want        time.Duration
		wantErr     bool
	}{
		"GRM-29 twelve hours by default": {want: 12 * time.Hour},
		"GRM-29 as the annotation says":  {annotations: map[string]string{annotation: "6h"}, want: 6 * time.Hour},
		"a duration that is none":        {annotations: map[string]string{annotation: "soon"}, wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tokenrequestor.Lifetime(tc.annotations)
			if got != tc.want || (err != nil) != tc.wantErr {
				t.Errorf("Lifetime = %s, %v", got, err)
			}
		})
	}
}

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: b
contexts: [{name: a, context: {cluster: x, user: first}}, {name: b, context: {cluster: x, user: second}}]
clusters: [{name: x, cluster: {server: "https://x"}}]
users: [{name: first, user: {token: untouched}}, {name: second, user: {}}]
`

func TestPutToken(t *testing.T) {
	t.Run("GRM-28 into the user of the current context only", func(t *testing.T) {
		data := map[string][]byte{"kubeconfig": []byte(kubeconfig)}
		if tokenrequestor.HasToken(data) {
			t.Error("HasToken before")
		}
		if err := tokenrequestor.PutToken(data, "secret"); err != nil {
			t.Fatal(err)
		}
		if !tokenrequestor.HasToken(data) {
			t.Error("no token after")
		}
		var want, got map[string]any
		for raw, into := range map[string]*map[string]any{
			strings.Replace(kubeconfig, "user: {}}", "user: {token: secret}}", 1): &want, string(data["kubeconfig"]): &got,
		} {
			if err := yaml.Unmarshal([]byte(raw), into); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("kubeconfig (-want +got):\n%s", diff)
		}
	})
	t.Run("GRM-27 under the key token without kubeconfig", func(t *testing.T) {
		data := map[string][]byte{}
		if err := tokenrequestor.PutToken(data, "secret"); err != nil || string(data["token"]) != "secret" {
			t.Errorf("data = %v, %v", data, err)
		}
	})
	t.Run("a kubeconfig without that user is refused", func(t *testing.T) {
		data := map[string][]byte{"kubeconfig": []byte("current-context: z")}
		if err := tokenrequestor.PutToken(data, "secret"); err == nil {
			t.Error("no error")
		}
	})
}

func TestResponsible(t *testing.T) {
	const purpose, class = "resources.gardener.cloud/purpose", "resources.gardener.cloud/class"
	for name, tc := range map[string]struct {
		labels map[string]string
		want   bool
	}{
		"GRM-27 a Secret with the purpose": {map[string]string{purpose: "token-requestor"}, true},
		"a Secret of this class":           {map[string]string{purpose: "token-requestor", class: "shoot"}, true},
		"a Secret of another class":        {map[string]string{purpose: "token-requestor", class: "garden"}, false},
		"a Secret with another purpose":    {map[string]string{purpose: "x", class: "shoot"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tokenrequestor.Responsible("shoot", tc.labels); got != tc.want {
				t.Errorf("Responsible = %v", got)
			}
		})
	}
}
