// Package journal keeps what happens to the parts of a landscape, in the log and in the store.
package journal

import (
	"sync"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// Journal keeps the changes of statuses. Its methods are safe for concurrent use.
type Journal struct {
	log   logr.Logger
	store *store.Store

	mu   sync.Mutex
	last map[string]component.Status // by name of the part
}

// New returns a journal that writes to the log and to the store.
func New(log logr.Logger, store *store.Store) *Journal {
	return &Journal{log: log, store: store, last: map[string]component.Status{}}
}

// Note is called on each change of a status. Changes of a message alone are not kept.
func (j *Journal) Note(status component.Status) {
	if !j.changed(status) {
		return
	}
	log := j.log.WithName(status.Name).WithValues("part", status.Name, "state", status.State)
	switch {
	case status.Warning != "":
		log.Info("Part needs attention", "warning", status.Warning)
	case status.State == component.Ready:
		log.Info("Part is ready", "took", status.Took.String())
	case status.State == component.Degraded:
		log.Info("Part is degraded", "reason", status.Message)
	case status.State == component.Failed, status.State == component.Backoff:
		log.Info("Part ended", "reason", status.Message)
	case status.State == component.Stopped:
		log.Info("Part stopped")
	default:
		return
	}
	entry := store.Entry{Time: time.Now().UTC(), Step: status.Name, Message: string(status.State) + " " + status.Message + status.Warning}
	if err := j.store.Note(entry); err != nil {
		j.log.WithName("journal").Error(err, "Journal cannot be written")
	}
}

func (j *Journal) changed(status component.Status) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	last, known := j.last[status.Name]
	j.last[status.Name] = status
	return !known || last.State != status.State || (last.Warning == "") != (status.Warning == "")
}
