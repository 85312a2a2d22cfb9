package backup

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/gardener-up/gardener-up/appliance/archive"
	"github.com/gardener-up/gardener-up/appliance/archive/sealed"
	"github.com/gardener-up/gardener-up/appliance/backup/depot"
)

// Listed is an archive in a directory or a bucket.
type Listed struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	archive.Header
	// Encrypted archives tell their landscape and time by their names only, and nothing else.
	Encrypted bool `json:"encrypted,omitempty"`
	// Problem says why the archive cannot be used. Without one, its beginning is right; Verify says more.
	Problem string `json:"problem,omitempty"`

	object string
	owner  string // by the name of an encrypted archive
}

// List returns the archives in a directory or a bucket, the oldest first. Only their beginnings are read.
func List(ctx context.Context, location string) (_ []Listed, err error) {
	in, err := depot.Open(ctx, location)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return list(ctx, in)
}

func list(ctx context.Context, in depot.Depot) ([]Listed, error) {
	objects, err := in.List(ctx, isArchive)
	if err != nil {
		return nil, err
	}
	all := []Listed{}
	for _, object := range objects {
		one := Listed{File: in.Locate(object.Name), Bytes: object.Bytes, object: object.Name}
		if err := one.read(ctx, in); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			one.Problem = err.Error()
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b Listed) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.File, b.File)) })
	return all, nil
}

func (l *Listed) read(ctx context.Context, from depot.Depot) error {
	file, err := from.Open(ctx, l.object)
	if err != nil {
		return err
	}
	defer file.Close()
	encrypted, content, err := sealed.Encrypted(file)
	if err != nil {
		return err
	}
	if l.Encrypted = encrypted; encrypted {
		l.Landscape, l.Created, l.owner = parsed(l.object)
		return nil
	}
	l.Header, err = archive.ReadHeader(content)
	return err
}

// of tells whether an archive is one of a landscape.
func (l *Listed) of(identity string) bool {
	if l.Encrypted {
		return l.owner == ownerOf(identity)
	}
	return l.Problem == "" && l.Identity == identity
}

// Prune removes all but the newest archives of a landscape in a directory or a bucket. Other files, and archives of other landscapes, stay, and so
// do encrypted archives with names that a user has chosen.
func Prune(ctx context.Context, location, identity string, keep int) (removed []string, err error) {
	in, err := depot.Open(ctx, location)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	all, err := list(ctx, in)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(l Listed) bool { return !l.of(identity) })
	for _, l := range all[:max(0, len(all)-keep)] {
		if err := in.Delete(ctx, l.object); err != nil {
			return removed, err
		}
		removed = append(removed, l.File)
	}
	return removed, nil
}
