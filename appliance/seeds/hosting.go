package seeds

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/seeds/callbacks"
	"github.com/gardener-up/gardener-up/appliance/seeds/embedded"
	"github.com/gardener-up/gardener-up/appliance/seeds/entry"
	"github.com/gardener-up/gardener-up/appliance/seeds/kind"
	"github.com/gardener-up/gardener-up/appliance/seeds/remote"
	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/local/containers"
)

// kindProvider begins the provider ID of nodes that kind has made.
const kindProvider = "kind://"

// finder chooses how a remote seed is hosted.
type finder struct {
	in     Inputs
	engine func(context.Context) (*containers.Engine, error) // finds the engine of the landscape at the first use
}

// find asks the cluster of a kubeconfig for its nodes and chooses the hosting by them.
func (f finder) find(ctx context.Context, seed string, access *rest.Config) (remote.Hosting, error) {
	access = rest.CopyConfig(access)
	access.Timeout = entry.AnswerTimeout
	c, err := kubernetes.NewForConfig(access)
	if err != nil {
		return nil, err
	}
	return f.findIn(ctx, seed, c)
}

func (f finder) findIn(ctx context.Context, seed string, c kubernetes.Interface) (remote.Hosting, error) {
	frontDoor, found, err := embedded.FindWays(ctx, c)
	if err != nil {
		return nil, err
	}
	if found {
		signer, err := f.signer(seed)
		hosting := embedded.Hosting{
			Zone: f.in.Zone.Of(seed), BackupDir: f.in.Paths.Backups(seed), Volumes: f.in.Paths.Seed(seed).Volumes(), ShootVolumes: f.in.Paths.Shared().Volumes(), FrontDoorOfCluster: frontDoor,
			Image: image.Named(f.in.Image), Signer: signer, NameServer: f.in.NameServer,
		}
		if signer != nil { // addresses of another embedded cluster may be those of another machine
			hosting.Doors = f.in.Doors.Direct()
		}
		return hosting, err
	}
	nodes, err := c.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes of the cluster: %w", err)
	}
	if node := kindNode(nodes.Items); node != nil {
		found, err := f.kind(ctx, seed, node)
		if err == nil {
			return found, nil
		}
		if f.in.Image == "" || !errors.Is(err, containers.ErrNotFound) && !errors.Is(err, containers.ErrNoEngine) {
			return nil, err
		}
		f.in.Log.Info("Kind cluster is served like a cluster on another machine", "seed", seed, "reason", err.Error())
	}
	if f.in.Image == "" {
		return nil, remote.ErrNoImage
	}
	return remote.NewNodes(remote.Inputs{
		Client: c, Image: f.in.Image, Zone: f.in.Zone.Of(seed), NameServer: f.in.NameServer, Backups: f.in.Paths.Backups(seed), Calls: f.calls(seed),
	}), nil
}

// calls are those of a seed whose pods know no address of this process.
func (f finder) calls(seed string) *callbacks.Callbacks {
	return callbacks.New(seed, f.in.GardenAt, f.in.Zone.Zone, f.in.Log)
}

// signer signs the pods of an own seed. Nodes of other embedded clusters would not take this landscape's signatures.
func (f finder) signer(seed string) (*podsignature.Signer, error) {
	signer, err := pki.Pods(f.in.Paths.Seed(seed).PKI())
	if errors.Is(err, fs.ErrNotExist) {
		f.in.Log.Info("Embedded cluster is not one of this landscape: pods of its shoots will be simulated", "seed", seed)
		return nil, nil
	}
	return signer, err
}

// kindNode returns a node that kind has made on this or another machine, or nil.
func kindNode(nodes []corev1.Node) *corev1.Node {
	for i := range nodes {
		if strings.HasPrefix(nodes[i].Spec.ProviderID, kindProvider) {
			return &nodes[i]
		}
	}
	return nil
}

// kind returns the hosting by a kind cluster on this machine.
func (f finder) kind(ctx context.Context, seed string, node *corev1.Node) (remote.Hosting, error) {
	engine, err := f.engine(ctx)
	if err != nil {
		return nil, fmt.Errorf("the cluster was made by kind, and machines of its shoots need the container engine that runs it: %w", err)
	}
	noted, own, err := f.in.Store.Seed(seed) // one that the landscape has made is not only known by its kubeconfig
	if err != nil {
		return nil, err
	}
	in := kind.Inputs{
		Landscape: f.in.Landscape, Image: image.Named(f.in.Image), Paths: f.in.Paths, Store: f.in.Store, Zone: f.in.Zone, NodeImage: noted.NodeImage, NodeImages: f.in.NodeImages,
		NameServer: f.in.NameServer, Doors: f.in.Doors.Behind(seed), Calls: f.calls(seed), Own: own, Log: f.in.Log,
	}
	found, err := kind.Find(ctx, in, engine, seed, node.Name, node.Status.NodeInfo.MachineID)
	if errors.Is(err, containers.ErrNotFound) {
		return nil, fmt.Errorf("the cluster was made by kind, but not with this machine's %s: %w; %w", engine.Name(), err, remote.ErrNoImage)
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}
