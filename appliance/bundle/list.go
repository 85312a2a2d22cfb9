package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
)

// format is the version of the format.
const format = 1

// Files at the beginning of every bundle, and of every OCI image layout.
const (
	listFile      = "bundle.json"
	signatureFile = "bundle.sig"
	layoutFile    = "oci-layout"
	indexFile     = "index.json"
	blobs         = "blobs/sha256"
)

// Kind says what a content is for.
type Kind string

// Kinds of contents.
const (
	Appliance Kind = "gardener"   // the image of this binary
	Image     Kind = "image"      // an image for containers
	NodeImage Kind = "node-image" // the image of nodes of kind
	Chart     Kind = "chart"      // a Helm chart
)

// List says what is in a bundle.
type List struct {
	Format        int       `json:"format"`
	Version       string    `json:"version"` // of the binary that made it
	Architectures []string  `json:"architectures"`
	Contents      []Content `json:"contents"`
	Files         []File    `json:"files"`
}

// Content is an image or a chart.
type Content struct {
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"`   // the whole name, with registry and with tag or digest
	Digest string `json:"digest"` // of its manifest, or of its index of manifests
	Size   int64  `json:"size"`   // of all its files in bytes; contents may share files
}

// File is one of the archive.
type File struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

func (l *List) encode() ([]byte, error) {
	text, err := json.MarshalIndent(l, "", "  ")
	return append(text, '\n'), err
}

func decodeList(text []byte) (*List, error) {
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("read %s: %w", listFile, err)
	}
	if head.Format > format {
		return nil, fmt.Errorf("a newer gardener made the bundle, in format %d; this one knows %d", head.Format, format)
	}
	list := &List{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(list); err != nil {
		return nil, fmt.Errorf("read %s: %w", listFile, err)
	}
	return list, list.check()
}

var hexadecimal = regexp.MustCompile(`^[0-9a-f]{64}$`)

// check makes sure that the list names the files of an OCI image layout and no others, each once.
func (l *List) check() error {
	seen := map[string]bool{}
	for _, file := range l.Files {
		known := file.Path == layoutFile || file.Path == indexFile || file.Path == path.Join(blobs, file.SHA256)
		if !known || seen[file.Path] || file.Size < 0 || !hexadecimal.MatchString(file.SHA256) {
			return fmt.Errorf("%s lists %q, which is no file of a bundle, or lists it twice", listFile, file.Path)
		}
		seen[file.Path] = true
	}
	if !seen[layoutFile] || !seen[indexFile] {
		return errors.New(listFile + " lists no OCI image layout")
	}
	return nil
}
