package appliance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
)

// kindProvider begins the provider ID of nodes that kind has made.
const kindProvider = "kind://"

// hostingOf finds out what kind of cluster a kubeconfig leads to.
func (s *seeds) hostingOf(ctx context.Context, seed string, access *rest.Config) (hosting, error) {
	access = rest.CopyConfig(access)
	access.Timeout = answerTimeout
	c, err := kubernetes.NewForConfig(access)
	if err != nil {
		return nil, err
	}
	return s.hostingIn(ctx, seed, c)
}

func (s *seeds) hostingIn(ctx context.Context, seed string, c kubernetes.Interface) (hosting, error) {
	ways, embedded, err := findWays(ctx, c)
	if err != nil {
		return nil, err
	}
	if embedded {
		return embeddedCluster{a: s.a, zone: s.zone, seed: seed, ways: ways}, nil
	}
	nodes, err := c.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("the cluster does not tell its nodes: %w", err)
	}
	if node := kindNode(nodes.Items); node != nil {
		found, err := s.kindCluster(ctx, seed, node)
		if err == nil {
			return found, nil
		}
		if s.a.Config.Image == "" || !errors.Is(err, containers.ErrNotFound) && !errors.Is(err, containers.ErrNoEngine) {
			return nil, err
		}
		s.a.Log.Info("Kind cluster is taken for one of another machine", "seed", seed, "reason", err.Error())
	}
	return s.otherNodes(c)
}

// kindNode is a node that kind has made, on whatever machine.
func kindNode(nodes []corev1.Node) *corev1.Node {
	for i := range nodes {
		if strings.HasPrefix(nodes[i].Spec.ProviderID, kindProvider) {
			return &nodes[i]
		}
	}
	return nil
}

// kindCluster is hosting by a kind cluster that somebody else has made with this machine's container engine.
func (s *seeds) kindCluster(ctx context.Context, seed string, node *corev1.Node) (hosting, error) {
	engine, err := s.engine(ctx)
	if err != nil {
		return nil, fmt.Errorf("the cluster was made by kind, and machines of its shoots need the container engine that has it: %w", err)
	}
	found, err := cluster.Find(ctx, engine, node.Name, node.Status.NodeInfo.MachineID, s.a.Log.WithName("kind"))
	if errors.Is(err, containers.ErrNotFound) {
		return nil, fmt.Errorf("the cluster was made by kind, but not with this machine's %s: %w; %w", engine.Name(), err, errNoImage)
	}
	if err != nil {
		return nil, err
	}
	image, err := found.NodeImage(ctx)
	if err != nil {
		return nil, err
	}
	entry := &lookup{find: func(ctx context.Context) (string, error) {
		addresses, err := found.FromHost(ctx, []int{cluster.TLSPort})
		return addresses[cluster.TLSPort], err
	}}
	return &kindNodes{a: s.a, zone: s.zone, seed: seed, engine: engine, cluster: found, entry: entry.get, nodeImage: image}, nil
}

// engine is the landscape's container engine, which is found when it is first needed.
func (s *seeds) engine(ctx context.Context) (*containers.Engine, error) {
	made, _, err := s.a.store.Engine()
	if err != nil {
		return nil, err
	}
	engine, err := findEngine(ctx, s.a.Config.Name, made)
	if err != nil {
		return nil, err
	}
	// This process has mounts of its own unless its first seed is a kind cluster, and what an engine without a daemon mounts for
	// its containers would vanish with it.
	if !s.a.Config.Seed.Kind() && engine.Name() != containers.Docker {
		return nil, fmt.Errorf("%w for machines of kind seeds beside an embedded seed: they need docker, not %s", containers.ErrNoEngine, engine.Name())
	}
	return engine, keepEngine(s.a.store, engine)
}

// lookupLife is how long an address may be outdated: it changes when a container is started again.
const lookupLife = 5 * time.Second

// lookup remembers for a while what takes a process to find out.
type lookup struct {
	find func(context.Context) (string, error)

	mu    sync.Mutex
	value string
	until time.Time
}

func (l *lookup) get(ctx context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Now().Before(l.until) {
		return l.value, nil
	}
	value, err := l.find(ctx)
	if err != nil {
		return "", err
	}
	l.value, l.until = value, time.Now().Add(lookupLife)
	return value, nil
}
