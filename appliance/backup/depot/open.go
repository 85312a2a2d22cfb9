package depot

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// Open opens a directory, or a bucket with a prefix: s3://BUCKET/PREFIX, azblob://CONTAINER/PREFIX or file:///DIRECTORY. A query has the settings of the driver.
func Open(ctx context.Context, location string) (Depot, error) {
	where, err := parse(location)
	if err != nil {
		return nil, err
	}
	if where == nil {
		return directory(filepath.Clean(location)), nil
	}
	if where.Scheme == "file" {
		return directory(filepath.Clean(where.Path)), nil
	}
	return openBucket(ctx, where)
}

// Check refuses locations that Open cannot open.
func Check(location string) error {
	_, err := parse(location)
	return err
}

// IsURL tells whether a location is the URL of a bucket.
func IsURL(location string) bool { return strings.Contains(location, "://") }

// Split splits the location of an archive into that of its depot, and its name.
func Split(location string) (where, name string, err error) {
	at, err := parse(location)
	if err != nil {
		return "", "", err
	}
	if at == nil {
		return filepath.Dir(location), filepath.Base(location), nil
	}
	name = path.Base(at.Path)
	if name == "/" || name == "." {
		return "", "", fmt.Errorf("%s names no archive", at.Redacted())
	}
	at.Path = path.Dir(at.Path)
	return at.String(), name, nil
}

// parse returns nil for a path.
func parse(location string) (*url.URL, error) {
	if location == "" {
		return nil, fmt.Errorf("%q: %w", location, ErrLocation)
	}
	if !IsURL(location) {
		return nil, nil
	}
	at, err := url.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("%w: it has no right form", ErrLocation) // the text may have a password
	}
	_, known := drivers[at.Scheme]
	switch {
	case at.User != nil:
		return nil, fmt.Errorf("%s: %w: credentials are not part of it", at.Redacted(), ErrLocation)
	case at.Scheme == "file" && (at.Host != "" || !strings.HasPrefix(at.Path, "/")):
		return nil, fmt.Errorf("%s: %w: write file:///DIRECTORY", location, ErrLocation)
	case at.Scheme == "file":
		return at, nil
	case !known:
		return nil, fmt.Errorf("%s: %w: it begins with s3://, azblob:// or file://", location, ErrLocation)
	case at.Host == "":
		return nil, fmt.Errorf("%s: %w: it names no bucket", location, ErrLocation)
	}
	at.Path = path.Clean("/" + at.Path)
	return at, nil
}
