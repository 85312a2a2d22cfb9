package azure

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/azure/azuretest"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/secretfiles"
)

func TestRequests(t *testing.T) {
	server := azuretest.Start(t, "container")
	data := server.Secret()
	bucket, err := Open(t.Context(), "container", secretfiles.Data(data))
	if err != nil {
		t.Fatal(err)
	}
	defer bucket.Close()
	write := func() error { return bucket.WriteAll(t.Context(), "key", []byte("content"), nil) }
	if err := write(); err != nil {
		t.Fatal(err)
	}
	t.Run("an upload that is cancelled leaves nothing", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		writer, err := bucket.NewWriter(ctx, "cancelled", &blob.WriterOptions{BufferSize: 1 << 20, MaxConcurrency: 1, ContentType: "application/octet-stream"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write(make([]byte, 3<<20)); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := writer.Close(); err == nil || len(server.Objects()) != 1 {
			t.Errorf("error %v, %d blobs", err, len(server.Objects()))
		}
	})
	t.Run("errors that pass are tried again", func(t *testing.T) {
		var asked atomic.Int32
		server.Refuse(func(*http.Request) (int, string) {
			if asked.Add(1) <= 2 {
				return http.StatusServiceUnavailable, "ServerBusy"
			}
			return 0, ""
		})
		defer server.Refuse(nil)
		if err := write(); err != nil || asked.Load() != 3 {
			t.Errorf("after %d requests: %v", asked.Load(), err)
		}
	})
	t.Run("the key of another account is refused, and a new one in the Secret is used", func(t *testing.T) {
		server.Rotate("other")
		err := write()
		if gcerrors.Code(err) != gcerrors.PermissionDenied || !strings.HasSuffix(err.Error(), "the object store answers 403 AuthenticationFailed") || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v", err)
		}
		maps.Copy(data, server.Secret())
		if err := write(); err != nil {
			t.Error(err)
		}
	})
	t.Run("another account needs a restart", func(t *testing.T) {
		data["storageAccount"] = []byte("elsewhere")
		if err := write(); err == nil || !strings.Contains(err.Error(), `account "elsewhere" now`) {
			t.Errorf("error %v", err)
		}
	})
}

func TestReadCredentials(t *testing.T) {
	for name, tc := range map[string]struct {
		change map[string]string
		base   string
		want   string // in the error
	}{
		"an account":                    {base: "https://me.blob.core.windows.net"},
		"one in another cloud":          {change: map[string]string{"domain": "blob.core.chinacloudapi.cn"}, base: "https://me.blob.core.chinacloudapi.cn"},
		"one of an emulator":            {change: map[string]string{"domain": "here:10000", "emulatorEnabled": "true"}, base: "http://here:10000/me"},
		"no key":                        {change: map[string]string{"storageKey": ""}, want: "lacks storageKey"},
		"a key that is none":            {change: map[string]string{"storageKey": "confidential!"}, want: "storageKey in the Secret of the store is not in base64"},
		"an account that leads away":    {change: map[string]string{"storageAccount": "example.com/"}, want: "no name of an account"},
		"a domain with a path":          {change: map[string]string{"domain": "here/there"}, want: "domain"},
		"a domain with somebody's name": {change: map[string]string{"domain": "me:confidential!@here"}, want: "domain"},
	} {
		t.Run(name, func(t *testing.T) {
			data := map[string][]byte{"storageAccount": []byte("me"), "storageKey": []byte("Y29uZmlkZW50aWFs")}
			for name, value := range tc.change {
				data[name] = []byte(value)
			}
			got, err := ReadCredentials(secretfiles.Data(data))
			switch {
			case tc.want == "" && (err != nil || got.base.String() != tc.base):
				t.Errorf("%s, %v", got.base, err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "confidential!")):
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}
