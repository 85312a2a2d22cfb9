package gcs

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gocloud.dev/gcerrors"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/gcs/gcstest"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/secretfiles"
)

func TestTokens(t *testing.T) {
	server := gcstest.Start(t, "bucket")
	data := server.Secret(t)
	bucket, err := Open("bucket", secretfiles.Data(data))
	if err != nil {
		t.Fatal(err)
	}
	defer bucket.Close()
	write := func() error { return bucket.WriteAll(t.Context(), "key", []byte("content"), nil) }

	t.Run("one token is for many requests", func(t *testing.T) {
		for range 3 {
			if err := write(); err != nil {
				t.Fatal(err)
			}
		}
		if n := server.Given(); n != 1 {
			t.Errorf("%d tokens", n)
		}
	})
	t.Run("a refusal is told without keys and tokens", func(t *testing.T) {
		server.Refuse(func(*http.Request) (int, string) { return http.StatusForbidden, "AccessDenied" })
		defer server.Refuse(nil)
		err := write()
		if gcerrors.Code(err) != gcerrors.PermissionDenied || !strings.Contains(err.Error(), "AccessDenied") || strings.Contains(err.Error(), "token-1") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("an old key gets no token, and a new one in the Secret does", func(t *testing.T) {
		server.Rotate(t)
		again, err := Open("bucket", secretfiles.Data(data))
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		err = again.WriteAll(t.Context(), "key", nil, nil)
		if err == nil || !strings.Contains(err.Error(), "service account backup@project.iam.gserviceaccount.com gets no token: the server answers 400") || strings.Contains(err.Error(), "PRIVATE") {
			t.Errorf("error %v", err)
		}
		maps.Copy(data, server.Secret(t))
		if err := write(); err != nil {
			t.Error(err)
		}
	})
}

func TestTokensEndWithTheRequest(t *testing.T) {
	asked := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer silent.Close()
	data := gcstest.Start(t, "bucket").Secret(t)
	var account map[string]string
	if err := json.Unmarshal(data["serviceaccount.json"], &account); err != nil {
		t.Fatal(err)
	}
	account["token_uri"] = silent.URL
	data["serviceaccount.json"], _ = json.Marshal(account)
	bucket, err := Open("bucket", secretfiles.Data(data))
	if err != nil {
		t.Fatal(err)
	}
	defer bucket.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if err := bucket.WriteAll(ctx, "key", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestReadCredentials(t *testing.T) {
	account := func(change map[string]string) map[string][]byte {
		all := map[string]string{"type": "service_account", "client_email": "a@b", "private_key": "confidential"}
		maps.Copy(all, change)
		content, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return map[string][]byte{"serviceaccount.json": content}
	}
	for name, tc := range map[string]struct {
		secret map[string][]byte
		base   string
		want   string // in the error
	}{
		"a key of a service account":      {secret: account(nil), base: defaultEndpoint},
		"no key":                          {want: "lacks serviceaccount.json"},
		"no JSON":                         {secret: map[string][]byte{"serviceaccount.json": []byte("confidential")}, want: "is no JSON"},
		"another kind of credentials":     {secret: account(map[string]string{"type": "external_account"}), want: `has the type "external_account"`},
		"a key without account":           {secret: account(map[string]string{"client_email": ""}), want: "lacks client_email"},
		"tokens that others could read":   {secret: account(map[string]string{"token_uri": "http://example.com"}), want: "token_uri is no https URL"},
		"an emulator, which needs no key": {secret: map[string][]byte{"emulatorEnabled": []byte("true"), "storageAPIEndpoint": []byte("http://here:4443")}, base: "http://here:4443"},
		"an endpoint with a path":         {secret: map[string][]byte{"storageAPIEndpoint": []byte("http://here/path")}, want: "without path"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadCredentials(secretfiles.Data(tc.secret))
			switch {
			case tc.want == "" && (err != nil || got.base.String() != tc.base || !got.emulated && got.key.TokenURL != defaultTokenURL):
				t.Errorf("%+v, %v", got.base, err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "confidential")):
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}
