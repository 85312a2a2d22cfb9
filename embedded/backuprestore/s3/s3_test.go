package s3

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/s3/s3test"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/secretfiles"
)

// TestSignatures has the examples in the documentation of the protocol.
func TestSignatures(t *testing.T) {
	c := Credentials{AccessKeyID: "AKIAIOSFODNN7EXAMPLE", SecretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", Region: "us-east-1"}
	for name, tc := range map[string]struct{ url, ranged, want string }{
		"an object": {"https://examplebucket.s3.amazonaws.com/test.txt", "bytes=0-9", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
		"a listing": {"https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J", "", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	} {
		t.Run(name, func(t *testing.T) {
			target, err := url.Parse(tc.url)
			if err != nil {
				t.Fatal(err)
			}
			request := &http.Request{Method: http.MethodGet, URL: target, Header: http.Header{}}
			if tc.ranged != "" {
				request.Header.Set("Range", tc.ranged)
			}
			sign(request, c, sum(nil), time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC))
			if got := request.Header.Get("Authorization"); !strings.HasSuffix(got, ",Signature="+tc.want) {
				t.Errorf("got %s, want signature %s", got, tc.want)
			}
		})
	}
}

const bucketName = "backups"

func open(t *testing.T) (*s3test.Server, *blob.Bucket) {
	t.Helper()
	server := s3test.Start(t, bucketName)
	credentials := Credentials{AccessKeyID: "id", SecretAccessKey: "key", Region: "here", Endpoint: server.URL, PathStyle: true}
	bucket, err := Open(bucketName, func() (Credentials, error) { return credentials, nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bucket.Close() })
	// What arrives has the signature that the request has if it is signed as it arrives.
	server.Refuse(func(r *http.Request) (int, string) { return checkSignature(r, credentials) })
	return server, bucket
}

func checkSignature(r *http.Request, c Credentials) (int, string) {
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	_, rest, found := strings.Cut(r.Header.Get("Authorization"), "SignedHeaders=")
	names, _, _ := strings.Cut(rest, ",")
	if err != nil || !found {
		return http.StatusForbidden, "AccessDenied"
	}
	again := &http.Request{Method: r.Method, URL: &url.URL{Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}, Header: http.Header{}}
	for _, name := range strings.Split(names, ";") {
		if name != "host" {
			again.Header.Set(name, r.Header.Get(name))
		}
	}
	sign(again, c, r.Header.Get("X-Amz-Content-Sha256"), at)
	if again.Header.Get("Authorization") != r.Header.Get("Authorization") {
		return http.StatusForbidden, "SignatureDoesNotMatch"
	}
	return 0, ""
}

func TestObjects(t *testing.T) {
	server, bucket := open(t)
	large := make([]byte, 2*leastPart+12345)
	for i := range large {
		large[i] = byte(rand.Int())
	}
	contents := map[string][]byte{"a/empty": {}, "a/small": []byte("small"), "a/large": large, "a/with space+and=more": []byte("odd"), "b/other": []byte("other")}
	for key, content := range contents {
		writer, err := bucket.NewWriter(t.Context(), key, &blob.WriterOptions{ContentType: "application/octet-stream"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write(content); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		if err := writer.Close(); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
	if server.Uploads() != 0 {
		t.Errorf("%d uploads are open", server.Uploads())
	}
	t.Run("contents come back", func(t *testing.T) {
		for key, content := range contents {
			if got, err := bucket.ReadAll(t.Context(), key); err != nil || !bytes.Equal(got, content) {
				t.Errorf("%s: %d bytes, %v; want %d", key, len(got), err, len(content))
			}
		}
		part, err := bucket.NewRangeReader(t.Context(), "a/small", 1, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer part.Close()
		if got, err := io.ReadAll(part); err != nil || string(got) != "mal" || part.Size() != 5 {
			t.Errorf("a range: %q of %d bytes, %v", got, part.Size(), err)
		}
	})
	t.Run("a listing has all pages", func(t *testing.T) {
		var got []string
		for objects := bucket.List(&blob.ListOptions{Prefix: "a/"}); ; {
			object, err := objects.Next(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if object.Size != int64(len(contents[object.Key])) {
				t.Errorf("%s has %d bytes", object.Key, object.Size)
			}
			got = append(got, object.Key)
		}
		if diff := cmp.Diff([]string{"a/empty", "a/large", "a/small", "a/with space+and=more"}, got); diff != "" {
			t.Errorf("keys (-want +got):\n%s", diff)
		}
	})
	t.Run("what does not exist is not found", func(t *testing.T) {
		if _, err := bucket.ReadAll(t.Context(), "nothing"); gcerrors.Code(err) != gcerrors.NotFound {
			t.Errorf("error %v", err)
		}
	})
	t.Run("deleted objects are gone", func(t *testing.T) {
		if err := bucket.Delete(t.Context(), "b/other"); err != nil {
			t.Fatal(err)
		}
		if exists, err := bucket.Exists(t.Context(), "b/other"); err != nil || exists {
			t.Errorf("exists: %t, %v", exists, err)
		}
	})
}

func TestUploadsThatFail(t *testing.T) {
	server, bucket := open(t)
	t.Run("an upload that is cancelled leaves nothing", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		writer, err := bucket.NewWriter(ctx, "cancelled", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write(make([]byte, 2*leastPart+1)); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := writer.Close(); err == nil {
			t.Error("no error")
		}
	})
	t.Run("errors that pass are tried again", func(t *testing.T) {
		var asked atomic.Int32
		server.Refuse(func(*http.Request) (int, string) {
			if asked.Add(1) <= 2 {
				return http.StatusServiceUnavailable, "SlowDown"
			}
			return 0, ""
		})
		if err := bucket.WriteAll(t.Context(), "later", []byte("x"), nil); err != nil || asked.Load() != 3 {
			t.Errorf("after %d requests: %v", asked.Load(), err)
		}
	})
	t.Run("errors that stay are told without the key", func(t *testing.T) {
		server.Refuse(func(*http.Request) (int, string) { return http.StatusForbidden, "AccessDenied" })
		err := bucket.WriteAll(t.Context(), "refused", []byte("x"), nil)
		if gcerrors.Code(err) != gcerrors.PermissionDenied || !strings.Contains(err.Error(), "AccessDenied") {
			t.Errorf("error %v", err)
		}
	})
	if keys := server.Objects(); len(keys) != 1 || server.Uploads() != 0 {
		t.Errorf("%d objects and %d uploads are left", len(keys), server.Uploads())
	}
}

func TestReadCredentials(t *testing.T) {
	write := func(t *testing.T, files map[string]string) string {
		dir := t.TempDir()
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	complete := map[string]string{"accessKeyID": "id\n", "secretAccessKey": "key", "region": "here"}
	got, err := ReadCredentials(secretfiles.Dir(write(t, complete)))
	if err != nil {
		t.Fatal(err)
	}
	if base, err := got.base(); err != nil || base.String() != "https://s3.here.amazonaws.com" || got.AccessKeyID != "id" {
		t.Errorf("%s, %v", base, err)
	}
	for name, tc := range map[string]struct {
		endpoint, without, want string
	}{
		"a host alone":            {endpoint: "store.example"},
		"no key":                  {without: "secretAccessKey", want: "lacks secretAccessKey"},
		"an endpoint with a path": {endpoint: "https://store.example/path", want: "without path"},
		"an endpoint with a user": {endpoint: "https://me:you@store.example", want: "without path, user"},
		"an endpoint of a file":   {endpoint: "file:///etc/passwd", want: "want https://HOST"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"endpoint": tc.endpoint}
			for name, content := range complete {
				if name != tc.without {
					files[name] = content
				}
			}
			_, err := ReadCredentials(secretfiles.Dir(write(t, files)))
			if (err == nil) != (tc.want == "") || err != nil && (!strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "you@")) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}
