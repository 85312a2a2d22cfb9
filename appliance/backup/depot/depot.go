// Package depot keeps the archives of backups: in a directory, or in a bucket in the object store of a cloud. It knows nothing about what is in
// them.
package depot

import (
	"context"
	"errors"
	"io"
	"strings"
	"unicode"
)

// Object is an archive in a depot.
type Object struct {
	Name  string
	Bytes int64
}

// Depot is where archives are. Names have no directory.
type Depot interface {
	// List returns the archives whose names satisfy a condition, sorted by name.
	List(ctx context.Context, wanted func(name string) bool) ([]Object, error)
	// Open reads an archive. What the place fails to read is an fs.PathError.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Write makes an archive of what fill writes, or replaces one. It has its name only when it is complete.
	Write(ctx context.Context, name string, fill func(io.Writer) error) (bytes int64, err error)
	Delete(ctx context.Context, name string) error
	// Locate is how users name an archive.
	Locate(name string) string
	Close() error
}

// ErrLocation is wrapped by errors of locations that are none.
var ErrLocation = errors.New("it is neither a path nor the URL of a bucket")

// printable tells whether a name can be shown. Others may write into a bucket, too.
func printable(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}
