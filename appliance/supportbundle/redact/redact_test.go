package redact

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// keyInPEM makes a private key.
func keyInPEM(t *testing.T) string {
	t.Helper()
	key, err := certificate.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	text, err := certificate.EncodeKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// keyLine is the first line of a key that is secret.
func keyLine(key string) string { return strings.Split(key, "\n")[1] }

func TestAPP22KnownSecretsAreTakenOutWhateverTheirForm(t *testing.T) {
	const password = `pa"ss&wörd/42`
	key := keyInPEM(t)
	kubeconfig := "users:\n- user:\n    client-key-data: " + base64.StdEncoding.EncodeToString([]byte(key)) + "\n    token: 9f8e7d6c5b4a\n"
	known := NewKnown()
	known.AddValue("password", []byte(password+"\n"))
	known.AddValue("kubeconfig", []byte(kubeconfig))
	known.AddText([]byte("some-token-of-a-file,health,health,\n"))
	quoted, err := json.Marshal(password)
	if err != nil {
		t.Fatal(err)
	}
	r := New(known)
	for name, tc := range map[string]struct{ text, secret string }{
		"a password in a sentence":         {"tried " + password + " twice", password},
		"a password in JSON":               {`{"msg":"tried ` + strings.Trim(string(quoted), `"`) + `"}`, strings.Trim(string(quoted), `"`)},
		"a password in base64":             {"cGFzczog " + base64.StdEncoding.EncodeToString([]byte(password)), base64.StdEncoding.EncodeToString([]byte(password))[:12]},
		"a password within base64":         {base64.StdEncoding.EncodeToString([]byte("x: " + password + " end")), base64.RawStdEncoding.EncodeToString([]byte(password))[2:12]},
		"a password within base64, at 1":   {base64.StdEncoding.EncodeToString([]byte("x:  " + password + " end")), base64.RawStdEncoding.EncodeToString([]byte("0" + password))[2:14]},
		"a line of a key":                  {"read " + keyLine(key), keyLine(key)},
		"a key inside of a kubeconfig":     {base64.StdEncoding.EncodeToString([]byte(key)), base64.StdEncoding.EncodeToString([]byte(key))[50:90]},
		"a token inside of a kubeconfig":   {"got 9f8e7d6c5b4a", "9f8e7d6c5b4a"},
		"a token in a file of such tokens": {"by some-token-of-a-file", "some-token-of-a-file"},
	} {
		t.Run(name, func(t *testing.T) {
			if out := r.Text(tc.text); strings.Contains(out, tc.secret) || !strings.Contains(out, Mark) {
				t.Errorf("%q became %q", tc.text, out)
			}
		})
	}
}

func TestAPP22WhatLooksLikeASecretIsTakenOut(t *testing.T) {
	key := keyInPEM(t)
	r := New(NewKnown())
	for name, tc := range map[string]struct{ text, want string }{
		"a private key":            {"before\n" + key + "after\n", "before\n" + Mark + "\nafter\n"},
		"a private key in JSON":    {`{"key":"` + strings.ReplaceAll(key, "\n", `\n`) + `","a":1}`, `{"key":"` + Mark + `\n","a":1}`},
		"a private key, cut":       {strings.Join(strings.Split(key, "\n")[:2], "\n"), Mark + "\n"},
		"a bearer token":           {"Authorization: Bearer abc.def-ghi", "Authorization: Bearer " + Mark},
		"a token of an account":    {"got eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl.", "got " + Mark + "."},
		"a user in an address":     {"proxy http://me:word@proxy:3128/", "proxy http://" + Mark + "@proxy:3128/"},
		"a bootstrap token":        {"joined by 07401b.f395accd246ae52d", "joined by " + Mark},
		"a password of a flag":     {"run --password=geheim1 --v=2", "run --password=" + Mark + " --v=2"},
		"a password in JSON":       {`{"clientSecret":"abcd1234"}`, `{"clientSecret":"` + Mark + `"}`},
		"the name of a secret":     {`{"secretName":"etcd-backup","secretRef":"a/b"}`, `{"secretName":"etcd-backup","secretRef":"a/b"}`},
		"an ordinary line":         {`{"level":"info","msg":"Part is ready","part":"etcd"}`, `{"level":"info","msg":"Part is ready","part":"etcd"}`},
		"a certificate":            {"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"},
		"a name with a dot":        {"10.1.2.3 seeds.gardener.cloud", "10.1.2.3 seeds.gardener.cloud"},
		"an end without a newline": {"last", "last"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, strings.TrimSuffix(r.Text(tc.text), "~")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAPP22HalfASecretAtTheEndOfALongLineIsDropped(t *testing.T) {
	secret := strings.Repeat("Secret9", 20)
	known := NewKnown()
	known.AddValue("token", []byte(secret))
	out := New(known).Text(strings.Repeat("x", longestLine-70) + secret + strings.Repeat("y", 100000) + "\nnext\n")
	if strings.Contains(out, "Secret9") || !strings.HasSuffix(out, "\nnext\n") || len(out) < longestLine/2 {
		t.Errorf("%d bytes, the end is %q", len(out), out[len(out)-200:])
	}
}

func TestAPP22CertificatesAndNamesAreNoSecrets(t *testing.T) {
	known := NewKnown()
	known.AddValue("ca.crt", []byte("-----BEGIN CERTIFICATE-----\nMIIBMIIBMIIBMIIBMIIBMIIBMIIBMIIBMIIBMIIB\n-----END CERTIFICATE-----\n"))
	known.AddValue("bundle", []byte("-----BEGIN CERTIFICATE-----\nMIIBMIIBMIIBMIIBMIIBMIIBMIIBMIIBMIIBMIIB\n-----END CERTIFICATE-----\n"))
	known.AddValue("namespace", []byte("garden-local"))
	known.AddValue("server", []byte("https://127.0.0.1:8443"))
	if known.Len() != 0 {
		t.Errorf("known %v", known.words)
	}
}

func TestAPP22ObjectsLoseWhatMayBeSecret(t *testing.T) {
	object := map[string]any{}
	if err := json.Unmarshal([]byte(`{
"kind":"Shoot","data":{"a":"b"},
"metadata":{"name":"sun","managedFields":[{}],"annotations":{"gardener.cloud/operation":"reconcile","note":"my word","kubectl.kubernetes.io/last-applied-configuration":"{}"}},
"spec":{"provider":{"infrastructureConfig":{"key":"x"}},"secretBindingName":"binding","oidc":{"clientSecret":"abc"},
 "template":{"metadata":{"annotations":{"mine":"x"}},"env":[{"name":"PASS","value":"abc"},{"name":"FROM","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}]}},
"status":{"lastOperation":{"description":"done"}}}`), &object); err != nil {
		t.Fatal(err)
	}
	Object(object)
	got, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"Shoot","metadata":{"annotations":{"gardener.cloud/operation":"reconcile","note":"[left out]"},"name":"sun"},` +
		`"spec":{"oidc":{"clientSecret":"[left out]"},"provider":{"infrastructureConfig":"[left out]"},"secretBindingName":"binding",` +
		`"template":{"env":[{"name":"PASS","value":"[left out]"},{"name":"FROM","valueFrom":{"secretKeyRef":{"key":"k","name":"s"}}}],"metadata":{"annotations":{"mine":"[left out]"}}}},` +
		`"status":{"lastOperation":{"description":"done"}}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
