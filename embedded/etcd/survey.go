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
	surveyPage     = 100 // keys that are read at once
	surveyNames    = 3   // that are told
)

// survey knows what the keys take, by directory. API servers name keys <prefix>/[group/]<resource>/[namespace/]<name>.
type survey struct {
	mu    sync.Mutex
	at    time.Time
	bytes map[string]int64
}

// due reports whether the last look is too old.
func (s *survey) due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.at) >= surveyInterval
}

// forget drops what is known, once there is room again.
func (s *survey) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.bytes = time.Time{}, nil
}

// look reads all keys, a few at a time.
func (s *survey) look(ctx context.Context, member *etcdserver.EtcdServer) error {
	found := map[string]int64{}
	page := &etcdserverpb.RangeRequest{Key: []byte{0}, RangeEnd: []byte{0}, Limit: surveyPage, Serializable: true}
	for more := true; more; {
		response, err := member.Range(ctx, page)
		if err != nil {
			return fmt.Errorf("read keys: %w", err)
		}
		for _, kv := range response.Kvs {
			found[path.Dir(string(kv.Key))] += int64(len(kv.Key) + len(kv.Value))
			page.Key = append(slices.Clone(kv.Key), 0)
		}
		more = response.More
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.bytes = time.Now(), found
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
