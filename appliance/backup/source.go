package backup

import (
	"context"
	"errors"
	"io"

	"github.com/gardener-up/gardener-up/appliance/archive"
	"github.com/gardener-up/gardener-up/appliance/archive/sealed"
	"github.com/gardener-up/gardener-up/appliance/backup/depot"
)

// Source is an archive that exists.
type Source struct {
	// Location is a path or the URL of an object in a bucket.
	Location string
	Keys     sealed.Keys
}

// Header reads the beginning of the archive.
func (s Source) Header(ctx context.Context) (header archive.Header, _ error) {
	return header, s.read(ctx, func(r io.Reader) (err error) {
		header, err = archive.ReadHeader(r)
		return err
	})
}

// Verify reads the whole archive and checks it. It writes nothing.
func (s Source) Verify(ctx context.Context) (header archive.Header, manifest archive.Manifest, _ error) {
	return header, manifest, s.read(ctx, func(r io.Reader) (err error) {
		header, manifest, err = archive.Verify(ctx, r)
		return err
	})
}

// read calls a function with the decrypted archive.
func (s Source) read(ctx context.Context, do func(io.Reader) error) (err error) {
	where, name, err := depot.Split(s.Location)
	if err != nil {
		return err
	}
	from, err := depot.Open(ctx, where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	file, err := from.Open(ctx, name)
	if err != nil {
		return err
	}
	defer file.Close()
	in, err := s.Keys.Reader(file)
	if err != nil {
		return err
	}
	return do(in)
}
