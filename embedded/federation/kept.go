package federation

import (
	"context"
	"errors"
	"sync"
	"time"
)

// kept are answers of targets that are fresh or on their way.
type kept struct {
	limits Limits

	mu       sync.Mutex
	entries  map[string]*entry
	clusters map[string]int // bytes
	bytes    int            // of all of them
}

// errFull is why a target is down that says more than there is room for.
var errFull = errors.New("there is no room for more metrics; ask for a scope")

func newKept(limits Limits) kept {
	return kept{limits: limits, entries: map[string]*entry{}, clusters: map[string]int{}}
}

// entry is the answer of one target. It may be read once done is closed.
type entry struct {
	done   chan struct{}
	answer scraped
}

// scraped is what a target answered.
type scraped struct {
	chunks map[string]chunk // by family
	took   time.Duration
	err    error
}

// of returns the answer of a target, and asks for it if nobody has done so a moment ago.
func (k *kept) of(target Target, ask func() scraped) *entry {
	key := target.key()
	k.mu.Lock()
	defer k.mu.Unlock()
	if found := k.entries[key]; found != nil {
		return found
	}
	made := &entry{done: make(chan struct{})}
	k.entries[key] = made
	go func() {
		made.answer = k.admit(target.Cluster, ask())
		close(made.done)
		time.AfterFunc(k.limits.Fresh, func() { k.forget(target, made) })
	}()
	return made
}

// admit counts an answer, or replaces it if there is no room for it.
func (k *kept) admit(cluster string, answer scraped) scraped {
	k.mu.Lock()
	defer k.mu.Unlock()
	size := answer.size()
	if k.bytes+size > k.limits.Bytes || k.clusters[cluster]+size > k.limits.Cluster {
		return scraped{took: answer.took, err: errFull}
	}
	k.count(cluster, size)
	return answer
}

func (k *kept) forget(target Target, old *entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.entries, target.key())
	k.count(target.Cluster, -old.answer.size())
}

// count adds bytes. The caller holds mu.
func (k *kept) count(cluster string, size int) {
	k.bytes += size
	if k.clusters[cluster] += size; k.clusters[cluster] == 0 {
		delete(k.clusters, cluster)
	}
}

func (s scraped) size() (bytes int) {
	for _, part := range s.chunks {
		bytes += len(part.text)
	}
	return bytes
}

// wait returns the answer, or that there was none in time.
func (e *entry) wait(ctx context.Context) scraped {
	select {
	case <-e.done:
		return e.answer
	default:
	}
	select {
	case <-e.done:
		return e.answer
	case <-ctx.Done():
		return scraped{err: errLate}
	}
}
