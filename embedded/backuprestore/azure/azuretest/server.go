// Package azuretest is an object store in memory that speaks the protocol of Azure Blob Storage, for tests only. It checks signatures,
// and lists few blobs at a time.
package azuretest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"fmt"
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

const (
	// account that all servers have.
	account = "backups"
	// pageSize is so small that listings have pages.
	pageSize = 2
)

// Server has one container.
type Server struct {
	address, container string

	mu      sync.Mutex
	key     []byte
	blobs   map[string][]byte
	blocks  map[string][]byte // by blob and ID, until they are a part of the blob
	refuses func(*http.Request) (status int, code string)
}

// Start starts a server that ends with the test.
func Start(t *testing.T, container string) *Server {
	s := &Server{container: container, key: []byte("confidential"), blobs: map[string][]byte{}, blocks: map[string][]byte{}}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.address = server.Listener.Addr().String()
	return s
}

// Secret has the credentials for the server.
func (s *Server) Secret() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string][]byte{
		"storageAccount": []byte(account), "storageKey": []byte(base64.StdEncoding.EncodeToString(s.key)), "domain": []byte(s.address), "emulatorEnabled": []byte("true"),
	}
}

// Rotate replaces the key of the account.
func (s *Server) Rotate(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = []byte(key)
}

// Refuse makes the server answer requests with an error, if the function returns a status; nil refuses none.
func (s *Server) Refuse(refuses func(*http.Request) (status int, code string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = refuses
}

// Objects are the blobs in the container.
func (s *Server) Objects() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.blobs)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuses != nil {
		if status, code := s.refuses(r); status != 0 {
			fail(w, status, code)
			return
		}
	}
	if r.Header.Get("Authorization") != "SharedKey "+account+":"+s.signature(r) {
		fail(w, http.StatusForbidden, "AuthenticationFailed")
		return
	}
	place, found := strings.CutPrefix(r.URL.Path, "/"+account+"/"+s.container)
	key, isBlob := strings.CutPrefix(place, "/")
	switch q := r.URL.Query(); {
	case !found:
		fail(w, http.StatusNotFound, "ContainerNotFound")
	case !isBlob && q.Get("comp") == "list":
		s.list(w, q.Get("prefix"), q.Get("marker"))
	case q.Get("comp") == "block":
		s.blocks[key+" "+q.Get("blockid")] = body
		w.WriteHeader(http.StatusCreated)
	case q.Get("comp") == "blocklist":
		s.commit(w, key, body)
	default:
		s.blob(w, r, key, body)
	}
}

// signature follows the documentation of the protocol.
func (s *Server) signature(r *http.Request) string {
	length := ""
	if r.ContentLength > 0 {
		length = fmt.Sprint(r.ContentLength)
	}
	lines := []string{r.Method, r.Header.Get("Content-Encoding"), r.Header.Get("Content-Language"), length, r.Header.Get("Content-MD5"), r.Header.Get("Content-Type"), "",
		r.Header.Get("If-Modified-Since"), r.Header.Get("If-Match"), r.Header.Get("If-None-Match"), r.Header.Get("If-Unmodified-Since"), r.Header.Get("Range")}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-ms-") {
			lines = append(lines, lower+":"+r.Header.Get(name))
		}
	}
	lines = append(lines, "/"+account+r.URL.EscapedPath())
	q := r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(q)) {
		lines = append(lines, name+":"+strings.Join(q[name], ","))
	}
	h := hmac.New(sha256.New, s.key)
	_, _ = io.WriteString(h, strings.Join(lines, "\n"))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

func (s *Server) list(w http.ResponseWriter, prefix, after string) {
	type properties struct {
		Size         int    `xml:"Content-Length"`
		LastModified string `xml:"Last-Modified"`
		Etag         string
	}
	type blob struct {
		Name       string
		Properties properties
	}
	var page struct {
		Blobs struct {
			Blob []blob
		}
		NextMarker string
	}
	for _, key := range slices.Sorted(maps.Keys(s.blobs)) {
		if !strings.HasPrefix(key, prefix) || key <= after {
			continue
		}
		if n := len(page.Blobs.Blob); n == pageSize {
			page.NextMarker = page.Blobs.Blob[n-1].Name
			break
		}
		page.Blobs.Blob = append(page.Blobs.Blob, blob{key, properties{len(s.blobs[key]), time.Now().UTC().Format(http.TimeFormat), "tag"}})
	}
	answer(w, "EnumerationResults", page)
}

// commit makes a blob of blocks that are there, and forgets them.
func (s *Server) commit(w http.ResponseWriter, key string, body []byte) {
	var wanted struct{ Latest []string }
	if err := xml.Unmarshal(body, &wanted); err != nil || len(wanted.Latest) == 0 {
		fail(w, http.StatusBadRequest, "InvalidXmlDocument")
		return
	}
	var content []byte
	for _, id := range wanted.Latest {
		block, found := s.blocks[key+" "+id]
		if !found {
			fail(w, http.StatusBadRequest, "InvalidBlockList")
			return
		}
		content = append(content, block...)
	}
	maps.DeleteFunc(s.blocks, func(name string, _ []byte) bool { return strings.HasPrefix(name, key+" ") })
	s.blobs[key] = content
	w.WriteHeader(http.StatusCreated)
}

func (s *Server) blob(w http.ResponseWriter, r *http.Request, key string, body []byte) {
	content, found := s.blobs[key]
	switch {
	case r.Method == http.MethodPut && r.Header.Get("X-Ms-Blob-Type") == "BlockBlob":
		s.blobs[key] = body
		w.WriteHeader(http.StatusCreated)
	case !found:
		fail(w, http.StatusNotFound, "BlobNotFound")
	case r.Method == http.MethodDelete:
		delete(s.blobs, key)
		w.WriteHeader(http.StatusAccepted)
	default:
		w.Header().Set("ETag", `"tag"`)
		if ranged := r.Header.Get("X-Ms-Range"); ranged != "" {
			r.Header.Set("Range", ranged)
		}
		http.ServeContent(w, r, "", time.Now(), strings.NewReader(string(content)))
	}
}

func answer(w http.ResponseWriter, name string, content any) {
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).EncodeElement(content, xml.StartElement{Name: xml.Name{Local: name}})
}

func fail(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("X-Ms-Error-Code", code)
	w.WriteHeader(status)
	_ = xml.NewEncoder(w).EncodeElement(struct{ Code, Message string }{code, "refused by the test"}, xml.StartElement{Name: xml.Name{Local: "Error"}})
}
