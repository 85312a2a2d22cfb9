package etcd

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/etcdserver"
)

const (
	surveyInterval = time.Minute
	calmInterval   = 10 * time.Minute // as long as nothing depends on it
	surveyPage     = 100              // keys that are read at once
	surveyNames    = 3                // that are told
)

// survey knows what the keys take, by directory. API servers name keys <prefix>/[group/]<resource>/[namespace/]<name>.
type survey struct {
	mu    sync.Mutex
	at    time.Time
	inUse int64 // at that time
	bytes map[string]int64

	namespaces []string         // that exist, with or without objects
	taken      map[string]int64 // bytes by namespace
	admitted   map[string]int64 // bytes that namespaces got since the look began, see admit
}

// due reports whether the last look is too old, or much came since then.
func (s *survey) due(now Usage) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	interval := surveyInterval
	if now.percent() < warnShare {
		interval = calmInterval
	}
	return time.Since(s.at) >= interval || now.InUse-s.inUse > now.Quota*hasteShare/100
}

// forget drops what is known, once there is room again.
func (s *survey) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.inUse, s.bytes, s.namespaces, s.taken, s.admitted = time.Time{}, 0, nil, nil, nil, nil
}

// look reads all keys of a member that is used so much, a few at a time.
func (s *survey) look(ctx context.Context, member *etcdserver.EtcdServer, now Usage) error {
	found, taken, before := map[string]int64{}, map[string]int64{}, s.counted()
	var namespaces []string
	page := &etcdserverpb.RangeRequest{Key: []byte{0}, RangeEnd: []byte{0}, Limit: surveyPage, Serializable: true}
	for more := true; more; {
		response, err := member.Range(ctx, page)
		if err != nil {
			return fmt.Errorf("read keys: %w", err)
		}
		for _, kv := range response.Kvs {
			dir, size := path.Dir(string(kv.Key)), int64(len(kv.Key)+len(kv.Value))
			found[dir] += size
			taken[path.Base(dir)] += size
			if withoutPrefix(dir) == "namespaces" {
				namespaces = append(namespaces, path.Base(string(kv.Key)))
			}
			page.Key = append(slices.Clone(kv.Key), 0)
		}
		more = response.More
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.inUse, s.bytes, s.namespaces, s.taken = time.Now(), now.InUse, found, namespaces, taken
	for namespace, bytes := range before { // what was admitted while this looked may have come too late for it
		s.admitted[namespace] -= bytes
	}
	return nil
}

// largest names what takes most in a namespace or, if that is empty, at all. Users must learn nothing about the namespaces of
// others, so the keys of a namespace are the only ones that are told to its users.
func (s *survey) largest(namespace string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	dirs := slices.DeleteFunc(slices.Collect(maps.Keys(s.bytes)), func(dir string) bool {
		return namespace != "" && path.Base(dir) != namespace
	})
	if len(dirs) == 0 {
		return ""
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(cmp.Compare(s.bytes[b], s.bytes[a]), cmp.Compare(a, b)) })
	var told []string
	for _, dir := range dirs[:min(surveyNames, len(dirs))] {
		name := withoutPrefix(dir)
		if namespace != "" {
			name = path.Base(path.Dir(dir))
		}
		told = append(told, name+" ("+Bytes(s.bytes[dir])+")")
	}
	where := ""
	if namespace != "" {
		where = fmt.Sprintf(" in namespace %q", namespace)
	}
	return fmt.Sprintf("; what takes most%s: %s", where, strings.Join(told, ", "))
}

// withoutPrefix leaves the first part of a key out, which is the same for all keys of an API server.
func withoutPrefix(dir string) string {
	if _, rest, found := strings.Cut(strings.TrimPrefix(dir, "/"), "/"); found {
		return rest
	}
	return dir
}
