package depot

import (
	"encoding/xml"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// cut is an object whose content ends early.
const cut = "cut"

// objects is a store with the part of the interface of S3 that backups use. Its bucket is called bucket.
type objects struct {
	mu  sync.Mutex
	all map[string][]byte
}

// newStore starts a store and returns the URL of a place in its bucket.
func newStore(t *testing.T) string {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "key")
	server := httptest.NewServer(&objects{all: map[string][]byte{"other/x": nil}})
	t.Cleanup(server.Close)
	return "s3://bucket/prefix?endpoint=" + server.URL
}

func (o *objects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=id/") {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	key, _ := strings.CutPrefix(r.URL.Path, "/bucket/")
	content, exists := o.all[key]
	switch {
	case r.Method == http.MethodGet && r.URL.Query().Get("list-type") == "2":
		o.list(w, r.URL.Query().Get("prefix"))
	case r.Method == http.MethodPut:
		o.all[key], _ = io.ReadAll(r.Body)
	case r.Method == http.MethodDelete:
		delete(o.all, key)
		w.WriteHeader(http.StatusNoContent)
	case !exists:
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
	case strings.HasSuffix(key, "/"+cut):
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		http.ServeContent(w, r, "", time.Unix(1, 0), strings.NewReader(string(content)))
	}
}

func (o *objects) list(w http.ResponseWriter, prefix string) {
	type entry struct {
		Key          string
		Size         int
		LastModified string
	}
	result := struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Name     string
		Contents []entry
	}{Name: "bucket"}
	for _, key := range slices.Sorted(maps.Keys(o.all)) {
		if strings.HasPrefix(key, prefix) {
			result.Contents = append(result.Contents, entry{key, len(o.all[key]), "2026-01-01T00:00:00Z"})
		}
	}
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(result)
}
