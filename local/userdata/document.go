// Package userdata defines the document that machines of the provider boot from: files and units, in YAML. The provider renders it
// from an OperatingSystemConfig. It describes the content of a machine, not how the machine is made.
package userdata

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
)

// Kind of the document.
const Kind = "MachineContent"

// defaultMode is the mode of files that name none.
const defaultMode = 0o644

// Document is the content of a machine.
type Document struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Purpose of the OperatingSystemConfig it was made from.
	Purpose string `json:"purpose"`
	// Files by path.
	Files []File `json:"files,omitempty"`
	// Units by name.
	Units []Unit `json:"units,omitempty"`
	// CRI configures the container runtime; nil leaves the machine's configuration unchanged.
	CRI *extensionsv1alpha1.CRIConfig `json:"criConfig,omitempty"`
}

// File is one file. Exactly one of Content and Image is used.
type File struct {
	// Path is absolute.
	Path string `json:"path"`
	// Mode in octal, such as "0644".
	Mode string `json:"mode"`
	// Encoding of Content: empty for plain text, or b64.
	Encoding string `json:"encoding,omitempty"`
	// Content in that encoding.
	Content string `json:"content,omitempty"`
	// Image names an image, and PathInImage the path of the file in it.
	Image       string `json:"image,omitempty"`
	PathInImage string `json:"pathInImage,omitempty"`
}

// Unit is one systemd unit.
type Unit struct {
	Name string `json:"name"`
	// Command is start, restart or stop; start when empty.
	Command string `json:"command,omitempty"`
	// Enable says whether the unit starts with the machine; nil leaves that unchanged.
	Enable  *bool  `json:"enable,omitempty"`
	Content string `json:"content,omitempty"`
	// DropIns by name, appended to Content in this order.
	DropIns []DropIn `json:"dropIns,omitempty"`
	// FilePaths are files whose change restarts the unit.
	FilePaths []string `json:"filePaths,omitempty"`
}

// DropIn is an addition to a unit.
type DropIn struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// NewFile makes a file with the given content; mode 0 means 0644.
func NewFile(path string, mode uint32, content []byte) File {
	file := File{Path: path, Mode: Mode(mode)}
	if utf8.Valid(content) {
		file.Content = string(content)
		return file
	}
	file.Encoding, file.Content = "b64", base64.StdEncoding.EncodeToString(content)
	return file
}

// Mode writes a file mode in octal; 0 means 0644.
func Mode(mode uint32) string {
	if mode == 0 {
		mode = defaultMode
	}
	return fmt.Sprintf("%04o", mode)
}

// Bytes is the content of a file, decoded.
func (f File) Bytes() ([]byte, error) { return DecodeContent(f.Encoding, f.Content) }

// DecodeContent decodes the content of a file from one of the encodings an OperatingSystemConfig may use.
func DecodeContent(encoding, content string) ([]byte, error) {
	switch encoding {
	case "":
		return []byte(content), nil
	case "b64":
		data, err := base64.StdEncoding.DecodeString(content)
		if err != nil {
			return nil, fmt.Errorf("decode base64: %w", err)
		}
		return data, nil
	}
	return nil, fmt.Errorf("unknown encoding %q", encoding)
}

// Encode writes the document. Equal contents give equal bytes, whatever the order of files and units.
func (d Document) Encode() ([]byte, error) {
	d = d.Sorted()
	d.APIVersion, d.Kind = api.APIVersion, Kind
	return yaml.Marshal(d)
}

// Sorted returns a copy with files by path and units by name.
func (d Document) Sorted() Document {
	d.Files, d.Units = slices.Clone(d.Files), slices.Clone(d.Units)
	slices.SortFunc(d.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(d.Units, func(a, b Unit) int { return strings.Compare(a.Name, b.Name) })
	return d
}

// Decode reads a document.
func Decode(data []byte) (Document, error) {
	d := Document{}
	if err := yaml.UnmarshalStrict(data, &d); err != nil {
		return d, fmt.Errorf("decode user data: %w", err)
	}
	if d.APIVersion != api.APIVersion || d.Kind != Kind {
		return d, fmt.Errorf("user data is %s %s, not %s %s", d.APIVersion, d.Kind, api.APIVersion, Kind)
	}
	return d, nil
}
