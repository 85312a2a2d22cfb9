package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// notesDir is the directory of notes beside that of the snapshots.
const notesDir = "notes"

// note is the name of a note. The driver for directories has files with other names while it writes.
var note = regexp.MustCompile(`^\d{19}\.`)

// Notes lists the notes that the members of the etcd have left each other. A note has no content.
func (s *Store) Notes(ctx context.Context) ([]string, error) {
	for attempt := 1; ; attempt++ {
		names, err := s.notes(ctx)
		if gcerrors.Code(err) != gcerrors.NotFound || attempt == listAttempts {
			return names, err
		}
	}
}

func (s *Store) notes(ctx context.Context) (names []string, err error) {
	objects := s.bucket.List(&blob.ListOptions{Prefix: s.key(notesDir) + "/"})
	for {
		object, err := objects.Next(ctx)
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list notes: %w", err)
		}
		if name := path.Base(object.Key); note.MatchString(name) {
			names = append(names, name)
		}
	}
}

// Note leaves a note. Its name is unique, so whoever removes the notes that he has read removes no later one.
func (s *Store) Note(ctx context.Context, member string, now time.Time) error {
	key := s.key(path.Join(notesDir, fmt.Sprintf("%019d.%s", now.UnixNano(), member)))
	err := s.bucket.WriteAll(ctx, key, nil, &blob.WriterOptions{ContentType: "application/octet-stream"})
	if err == nil && s.settle != nil {
		err = s.settle(key)
	}
	if err != nil {
		return fmt.Errorf("leave a note: %w", err)
	}
	return nil
}

// NotedBy tells whether a member has left the note.
func NotedBy(name, member string) bool {
	_, by, _ := strings.Cut(name, ".")
	return by == member
}

// RemoveNotes removes notes. They need not exist.
func (s *Store) RemoveNotes(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := s.bucket.Delete(ctx, s.key(path.Join(notesDir, name))); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			return fmt.Errorf("remove a note: %w", err)
		}
	}
	return nil
}
