package metricsserver

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/embedded/kubeletmetrics"
)

// store keeps the last two samples of all nodes and containers.
type store struct {
	mu    sync.RWMutex
	nodes map[string]nodeTracks
	pods  map[types.NamespacedName]map[string]track
}

type nodeTracks struct {
	node track
	pods map[types.NamespacedName]map[string]track
}

func newStore() *store {
	return &store{nodes: map[string]nodeTracks{}, pods: map[types.NamespacedName]map[string]track{}}
}

// put updates all nodes at once. A node without a response keeps its samples; a node that is not in names is removed.
func (s *store) put(names []string, answers map[string]kubeletmetrics.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	nodes := make(map[string]nodeTracks, len(names))
	pods := map[types.NamespacedName]map[string]track{}
	for _, name := range names {
		tracks := s.nodes[name]
		if told, ok := answers[name]; ok {
			tracks = tracks.next(told)
		}
		nodes[name] = tracks
		for pod, containers := range tracks.pods {
			pods[pod] = containers
		}
	}
	s.nodes, s.pods = nodes, pods
}

// next removes pods and containers that the kubelet no longer reports.
func (t nodeTracks) next(told kubeletmetrics.Answer) nodeTracks {
	out := nodeTracks{node: t.node.next(told.Node), pods: make(map[types.NamespacedName]map[string]track, len(told.Pods))}
	for pod, containers := range told.Pods {
		tracks := make(map[string]track, len(containers))
		for name, s := range containers {
			tracks[name] = t.pods[pod][name].next(s)
		}
		out.pods[pod] = tracks
	}
	return out
}

func (s *store) node(name string) (usage, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.nodes[name].node.usage()
}

// pod returns the usage of all containers; it is unknown until the usage of each container is known.
func (s *store) pod(name types.NamespacedName) (map[string]usage, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := map[string]usage{}
	for container, track := range s.pods[name] {
		if track.last == (sample{}) {
			continue
		}
		u, ok := track.usage()
		if !ok {
			return nil, false
		}
		out[container] = u
	}
	return out, len(out) > 0
}
