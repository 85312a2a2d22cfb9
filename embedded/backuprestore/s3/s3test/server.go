// Package s3test is an object store in memory that speaks the protocol of S3, for tests only. It lists few objects at a time, and
// knows who may ask by a function of the test.
package s3test

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// pageSize is so small that listings have pages.
const pageSize = 2

// Server has one bucket.
type Server struct {
	// URL of the server.
	URL string
	// Bucket is its name.
	Bucket string

	mu      sync.Mutex
	objects map[string][]byte
	uploads map[string]map[int][]byte
	refuses func(*http.Request) (status int, code string)
	asked   int
}

// Start starts a server that ends with the test.
func Start(t *testing.T, bucket string) *Server {
	s := &Server{Bucket: bucket, objects: map[string][]byte{}, uploads: map[string]map[int][]byte{}}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Refuse makes the server answer requests with an error, if the function returns a status; nil refuses none.
func (s *Server) Refuse(refuses func(*http.Request) (status int, code string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = refuses
}

// Objects are those in the bucket.
func (s *Server) Objects() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.objects)
}

// Uploads is the number of those that were neither completed nor aborted.
func (s *Server) Uploads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.uploads)
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
	key, found := strings.CutPrefix(r.URL.Path, "/"+s.Bucket+"/")
	if !found {
		fail(w, http.StatusNotFound, "NoSuchBucket")
		return
	}
	q := r.URL.Query()
	switch {
	case key == "" && r.Method == http.MethodGet:
		s.list(w, q.Get("prefix"), q.Get("continuation-token"))
	case q.Has("uploads") && r.Method == http.MethodPost:
		s.asked++
		id := fmt.Sprintf("upload %d/+", s.asked)
		s.uploads[id] = map[int][]byte{}
		answer(w, "InitiateMultipartUploadResult", struct {
			ID string `xml:"UploadId"`
		}{id})
	case q.Has("uploadId"):
		s.part(w, r.Method, key, q.Get("uploadId"), q.Get("partNumber"), body)
	default:
		s.object(w, r, key, body)
	}
}

func (s *Server) list(w http.ResponseWriter, prefix, after string) {
	type object struct {
		Key          string
		Size         int
		LastModified time.Time
	}
	var page struct {
		Contents              []object
		IsTruncated           bool
		NextContinuationToken string
	}
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		if !strings.HasPrefix(key, prefix) || key <= after {
			continue
		}
		if len(page.Contents) == pageSize {
			page.IsTruncated, page.NextContinuationToken = true, page.Contents[pageSize-1].Key
			break
		}
		page.Contents = append(page.Contents, object{key, len(s.objects[key]), time.Now().UTC()})
	}
	answer(w, "ListBucketResult", page)
}

func (s *Server) part(w http.ResponseWriter, method, key, id, number string, body []byte) {
	parts, found := s.uploads[id]
	if !found {
		fail(w, http.StatusNotFound, "NoSuchUpload")
		return
	}
	switch method {
	case http.MethodPut:
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			fail(w, http.StatusBadRequest, "InvalidArgument")
			return
		}
		parts[n] = body
		w.Header().Set("ETag", fmt.Sprintf(`"part %d of %d bytes"`, n, len(body)))
	case http.MethodDelete:
		delete(s.uploads, id)
		w.WriteHeader(http.StatusNoContent)
	case http.MethodPost:
		s.complete(w, key, id, body)
	}
}

// complete wants all parts with their tags, in order. All but the last one must have 5 MiB.
func (s *Server) complete(w http.ResponseWriter, key, id string, body []byte) {
	var wanted struct {
		Part []struct {
			PartNumber int
			ETag       string
		}
	}
	if err := xml.Unmarshal(body, &wanted); err != nil || len(wanted.Part) != len(s.uploads[id]) {
		fail(w, http.StatusBadRequest, "MalformedXML")
		return
	}
	var content []byte
	for i, part := range wanted.Part {
		stored := s.uploads[id][part.PartNumber]
		if part.PartNumber != i+1 || part.ETag != fmt.Sprintf(`"part %d of %d bytes"`, i+1, len(stored)) {
			fail(w, http.StatusBadRequest, "InvalidPart")
			return
		}
		if i < len(wanted.Part)-1 && len(stored) < 5<<20 {
			fail(w, http.StatusBadRequest, "EntityTooSmall")
			return
		}
		content = append(content, stored...)
	}
	s.objects[key] = content
	delete(s.uploads, id)
	answer(w, "CompleteMultipartUploadResult", struct{ Key string }{key})
}

func (s *Server) object(w http.ResponseWriter, r *http.Request, key string, body []byte) {
	content, found := s.objects[key]
	switch r.Method {
	case http.MethodPut:
		s.objects[key] = body
	case http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	default:
		if !found {
			fail(w, http.StatusNotFound, "NoSuchKey")
			return
		}
		http.ServeContent(w, r, "", time.Now(), strings.NewReader(string(content)))
	}
}

func answer(w http.ResponseWriter, name string, content any) {
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).EncodeElement(content, xml.StartElement{Name: xml.Name{Local: name}})
}

func fail(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	answer(w, "Error", struct{ Code, Message string }{code, "refused by the test"})
}
