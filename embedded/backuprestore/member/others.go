package member

import (
	"context"
	"slices"
	"time"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// noteTimeout bounds the work with notes for one check of the owner.
const noteTimeout = 5 * time.Second

// others implements owner.Others by notes in the store, which all members of an etcd share. While the store cannot be reached, members hear nothing of
// each other, and do what each of them knows.
type others struct{ *member }

func (o others) with(ctx context.Context, work func(context.Context, *store.Store) error) {
	if !o.opened.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, noteTimeout)
	defer cancel()
	if err := work(ctx, o.store); err != nil {
		o.config.Log.Error(err, "The members of the etcd cannot tell each other about its owner")
	}
}

// Heard implements owner.Others.
func (o others) Heard(ctx context.Context) (notes []string) {
	o.with(ctx, func(ctx context.Context, s *store.Store) (err error) {
		notes, err = s.Notes(ctx)
		return err
	})
	return notes
}

// Tell implements owner.Others.
func (o others) Tell(ctx context.Context, notes []string) {
	name := ownFlags{o.config.Etcd}.Name()
	if slices.ContainsFunc(notes, func(note string) bool { return store.NotedBy(note, name) }) {
		return
	}
	o.with(ctx, func(ctx context.Context, s *store.Store) error { return s.Note(ctx, name, time.Now()) })
}

// Forget implements owner.Others.
func (o others) Forget(ctx context.Context, notes []string) {
	o.with(ctx, func(ctx context.Context, s *store.Store) error { return s.RemoveNotes(ctx, notes) })
}
