package appliance

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/local"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/applianceimage"
	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
	"github.com/gardener-up/gardener-up/local/host"
)

// kindNodes is what a seed needs whose nodes are containers of this machine's engine, whoever has made its cluster: the
// appliance image in the nodes, a front door that is a pod, and containers beside them as machines of shoots.
type kindNodes struct {
	a       *appliance
	zone    *dns.Zone
	seed    string // its name
	engine  *containers.Engine
	cluster *cluster.Existing
	// entry tells where this process reaches the seed's front door, host:port.
	entry func(context.Context) (string, error)
	// nodeImage is that of machines, unless the configuration has one for their version of Kubernetes.
	nodeImage string

	brings atomic.Pointer[cluster.Brought] // known when prepared
}

// prepare looks into the nodes and brings them the appliance image. It may be repeated.
func (k *kindNodes) prepare(ctx context.Context) error {
	brings, err := k.cluster.Brought(ctx)
	if err != nil {
		return err
	}
	k.brings.Store(&brings)
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this binary: %w", err)
	}
	id, err := applianceimage.Digest(binary)
	if err != nil {
		return err
	}
	return k.cluster.Load(ctx, image.Reference(), id, func() (string, error) { return k.imageArchive(ctx) })
}

// leave takes back what prepare has brought, also that of former versions of this binary.
func (k *kindNodes) leave(ctx context.Context) error {
	repository, _, _ := strings.Cut(path.Base(image.Reference()), ":")
	return k.cluster.Unload(ctx, path.Join(path.Dir(image.Reference()), repository))
}

func (k *kindNodes) frontDoor(ctx context.Context) (string, error) { return k.entry(ctx) }

func (k *kindNodes) callsBack() bool { return false }

// adapt makes the gardenlet reach shoots through the seed's front door, and their nodes reach it at its own port.
func (k *kindNodes) adapt(c *gardenlet.Config) {
	c.ShootConfig = func(kubeconfig []byte) (*rest.Config, error) { return shootConfigVia(k.entry, kubeconfig) }
	c.MachineServerPort = cluster.TLSPort
	c.FrontDoorInSeed, c.ResourceManager, c.Tunnel = true, true, true
	brings := k.brought()
	c.Images = shoot.Images{KubeProxy: brings.KubeProxy, CoreDNS: brings.CoreDNS}
}

func (k *kindNodes) brought() cluster.Brought {
	if brings := k.brings.Load(); brings != nil {
		return *brings
	}
	return cluster.Brought{}
}

func (k *kindNodes) addProvider(mgr manager.Manager) error {
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this binary: %w", err)
	}
	err = host.AddToManager(mgr, host.Config{
		Engine: k.engine, Landscape: k.a.Config.Name, Seed: k.seed, Network: cluster.Network, Gateway: k.cluster.Address,
		Binary: binary, Image: k.imageArchive, Inventory: inventoryOf{k.a.store}, Log: k.a.Log.WithName("machine-host"),
	})
	if err != nil {
		return err
	}
	brings := k.brought()
	return local.AddToManager(mgr, local.Config{
		Zone: k.zone, BackupDir: k.a.Paths.Backups(), Machines: api.Containers, NodeImage: k.machineImage,
		Network: brings.Network, Storage: brings.Storage,
	})
}

// machineImage is the image of machines with a version of Kubernetes.
func (k *kindNodes) machineImage(_, _, kubernetesVersion string) string {
	if image := k.a.Config.Seed.NodeImages[kubernetesVersion]; image != "" {
		return image
	}
	return k.nodeImage
}

// stop stops the machines, as the landscape stops.
func (k *kindNodes) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, kindStopTimeout)
	defer cancel()
	return host.StopMachines(ctx, k.engine, k.a.Config.Name, k.seed)
}

// imageArchive makes the archive of the appliance image unless it is there.
func (k *kindNodes) imageArchive(context.Context) (string, error) {
	binary, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this binary: %w", err)
	}
	id, err := applianceimage.Digest(binary)
	if err != nil {
		return "", err
	}
	archive := filepath.Join(k.a.Paths.Images(), strings.ReplaceAll(id, ":", "-")+".tar")
	if _, err := os.Stat(archive); err == nil {
		return archive, nil
	}
	old, _ := filepath.Glob(filepath.Join(k.a.Paths.Images(), "*.tar"))
	for _, file := range old { // of former binaries
		_ = os.Remove(file)
	}
	_, err = applianceimage.Save(binary, archive)
	return archive, err
}
