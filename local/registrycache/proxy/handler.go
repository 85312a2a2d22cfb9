package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// ServeHTTP serves the part of the distribution API that pulling needs.
func (c *Cache) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Docker-Distribution-Api-Version", "registry/2.0")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		refuse(w, http.StatusMethodNotAllowed, "UNSUPPORTED", "this registry only supports pulling")
		return
	}
	path, ok := strings.CutPrefix(r.URL.Path, "/v2/")
	switch {
	case r.URL.Path == "/v2" || ok && path == "":
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}"))
		return
	case !ok:
		refuse(w, http.StatusNotFound, "NOT_FOUND", "nothing is served here")
		return
	}
	if repository, reference, found := cutLast(path, "/manifests/"); found {
		c.serveManifest(w, r, repository, reference)
	} else if repository, reference, found := cutLast(path, "/blobs/"); found {
		c.serveBlob(w, r, repository, reference)
	} else {
		refuse(w, http.StatusNotFound, "NOT_FOUND", "nothing is served here")
	}
}

func (c *Cache) serveManifest(w http.ResponseWriter, r *http.Request, path, reference string) {
	repository, err := c.repository(path)
	if err == nil && !strings.Contains(reference, ":") {
		_, err = name.NewTag(repository.Name()+":"+reference, name.WeakValidation)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "NAME_INVALID", err.Error())
		return
	}
	found, digest, err := c.manifest(r.Context(), repository, reference)
	if err != nil {
		c.fail(w, r, "MANIFEST_UNKNOWN", err)
		return
	}
	w.Header().Set("Content-Type", string(found.mediaType))
	w.Header().Set("Docker-Content-Digest", digest.String())
	w.Header().Set("Content-Length", strconv.Itoa(len(found.content)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(found.content)
	}
}

func (c *Cache) serveBlob(w http.ResponseWriter, r *http.Request, path, reference string) {
	repository, err := c.repository(path)
	if err != nil {
		refuse(w, http.StatusBadRequest, "NAME_INVALID", err.Error())
		return
	}
	digest, err := v1.NewHash(reference)
	if err != nil {
		refuse(w, http.StatusBadRequest, "DIGEST_INVALID", err.Error())
		return
	}
	file, err := c.blob(r.Context(), repository, digest)
	if err != nil {
		c.fail(w, r, "BLOB_UNKNOWN", err)
		return
	}
	defer file.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Docker-Content-Digest", digest.String())
	http.ServeContent(w, r, "", time.Time{}, file)
}

// repository is a repository of the other registry. The name must be valid, because it becomes part of a URL.
func (c *Cache) repository(path string) (name.Repository, error) {
	components := strings.Split(path, "/")
	if slices.ContainsFunc(components, func(component string) bool { return strings.Trim(component, ".") == "" }) {
		return name.Repository{}, fmt.Errorf("%q is no name of a repository", path)
	}
	repository := c.Upstream.Repo(components...)
	_, err := name.NewRepository(repository.Name(), name.StrictValidation)
	return repository, err
}

func (c *Cache) fail(w http.ResponseWriter, r *http.Request, unknown string, err error) {
	if errors.Is(err, errUnknown) {
		refuse(w, http.StatusNotFound, unknown, err.Error())
		return
	}
	if r.Context().Err() == nil {
		c.Log.Error(err, "Could not serve a request", "path", r.URL.Path)
	}
	refuse(w, http.StatusBadGateway, "UNAVAILABLE", err.Error())
}

// refuse writes an error in the format of registries.
func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": []map[string]string{{"code": code, "message": message}}})
}

// cutLast cuts around the last separator, because names of repositories may contain it, too.
func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i+len(separator):], true
}
