package appliance

import (
	"sync"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// journal keeps what happens to parts, in the log and in the store.
type journal struct {
	log   logr.Logger
	store *store.Store

	mu   sync.Mutex
	last map[string]component.Status // by name of the part
}

// note is called on each change of a status. Changes of a message alone are not kept.
func (j *journal) note(status component.Status) {
	if !j.changed(status) {
		return
	}
	log := j.log.WithValues("part", status.Name, "state", status.State)
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
		j.log.Error(err, "Journal cannot be written")
	}
}

func (j *journal) changed(status component.Status) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.last == nil {
		j.last = map[string]component.Status{}
	}
	last, known := j.last[status.Name]
	j.last[status.Name] = status
	return !known || last.State != status.State || (last.Warning == "") != (status.Warning == "")
}
