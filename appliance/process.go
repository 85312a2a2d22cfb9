package appliance

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/controlplanes"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/journal"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/appliance/operators"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/sandboxes"
	"github.com/gardener-up/gardener-up/appliance/seeds/own"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/embedded/diskspace"
	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/node"
)

// process holds what a landscape and the cluster of an own seed have in common.
type process struct {
	Options
	state     *state.State // open while the process runs
	pki       *pki.PKI
	bundle    *pki.Bundle
	control   *daemon.Control // nil unless the process runs
	disk      *diskspace.Watch
	journal   *journal.Journal
	observers []func(component.Status) // of statuses, in addition to the journal
	pods      sandboxes.Sandboxes
	started   time.Time
	begin     servers.Begin
	// statuses are those of the parts and of the parts of further seeds. It is set before they run.
	statuses func() []component.Status
	ready    atomic.Int64 // nanoseconds from the start until all parts were ready; 0 before
}

func newProcess(opts Options) *process {
	return &process{Options: opts, started: time.Now(), disk: diskspace.New(opts.Paths.Root()), begin: servers.NewBegin()}
}

// access is how this process reaches its own API servers. It and what follows can be called once the certificates exist.
func (p *process) access() servers.Access { return servers.Access{Ports: p.state.Ports, PKI: p.bundle} }

func (p *process) door() servers.Door {
	return servers.Door{IP: p.Config.FrontDoor.Address, Ports: p.state.Ports, Domain: p.Config.GardenDomain()}
}

func (p *process) etcds() servers.Etcds {
	storage := servers.Storage{Quota: p.Config.Storage.Quota.Value(), Disk: p.disk, Fatal: p.Fatal, Note: p.state.NoteEtcd}
	return servers.Etcds{Access: p.access(), ID: p.state.Identity.ID, Storage: storage, Paths: p.Paths, Log: p.Log}
}

// runtime are the inputs of the control plane of an embedded seed.
func (p *process) runtime() servers.RuntimeInputs {
	return servers.RuntimeInputs{Etcds: p.etcds(), ServiceCIDR: p.Config.Seed.ServiceCIDR}
}

// network are the inputs of the network of an embedded seed, without those that differ between programs.
func (p *process) network() servers.NetworkInputs {
	c := p.Config
	return servers.NetworkInputs{
		Access: p.access(), Door: p.door(), Image: image.Named(c.Image), Version: p.Version, Paths: p.Paths, Shared: p.Shared, Log: p.Log, SetResolver: p.SetResolver, Choice: servers.Choice(c.Name, p.Shared),
		Cluster: servers.Cluster{Name: c.Seed.Name, NodeIP: c.Seed.NodeIP(), NameServerIP: c.Seed.NameServerIP(), PodCIDR: c.Seed.PodCIDR, ServiceCIDR: c.Seed.ServiceCIDR},
		Containers: servers.Containers{
			Sandboxes: c.Containers == config.ContainersSandbox, Missing: *c.SimulateMissingImages, Mirrors: c.RegistryMirrors,
			Outside: node.Outside{Public: c.Tenants.OpenOutside(), Private: c.Tenants.Networks()}, Begin: p.begin.Reached(),
		},
	}
}

func (p *process) kubeconfigs() servers.Kubeconfigs {
	return servers.Kubeconfigs{Access: p.access(), Door: p.door(), Paths: p.Paths, Landscape: p.Config.Name, SeedName: p.Config.Seed.Name}
}

// certified names the hosts of certificates and writes the kubeconfigs that contain certificates.
type certified interface {
	hosts() pki.Hosts
	writeKubeconfigs() error
}

// makeCertificates makes or renews all certificates, and writes the kubeconfigs that contain them.
func (p *process) makeCertificates(of certified) error {
	hosts := of.hosts()
	seed := p.Config.Seed
	hosts.SeedAPI, hosts.Node, hosts.Seed = []string{seed.KubernetesIP(), seed.NodeIP()}, []string{seed.Name, seed.NodeIP()}, seed.Name
	p.pki = pki.New(p.Paths.PKI(), hosts, time.Now)
	bundle, err := p.pki.Ensure()
	if err != nil {
		return err
	}
	p.bundle = bundle
	if err := p.state.NoteKeys(); err != nil {
		return err
	}
	return of.writeKubeconfigs()
}

// renewal looks for certificates that are due while the process runs.
func (p *process) renewal(of certified) component.Component {
	return loop.New("certificates", func(ctx context.Context) error {
		return p.pki.RunRenewal(ctx, clock.RealClock{}, func(_ *pki.Bundle, err error) {
			if err == nil {
				err = of.writeKubeconfigs()
			}
			if err != nil {
				p.Log.Error(err, "Renewal of certificates is retried", "interval", pki.RenewInterval.String())
			}
		})
	}, nil)
}

// issue makes a client certificate for an operator. The log keeps who may do everything.
func (p *process) issue(request daemon.CredentialRequest) (daemon.Credential, error) {
	credential, err := operators.Issue(p.pki, request)
	if err == nil && request.BreakGlass {
		p.Log.Info("A break-glass credential was issued", "for", request.Cluster, "expires", credential.Expires)
	}
	return credential, err
}

func (p *process) tell(parts, further []component.Status) daemon.Report {
	ready, port := time.Duration(p.ready.Load()), p.state.Ports[servers.FrontDoor]
	metrics := ""
	if p.state.Ports[servers.Metrics] != 0 {
		metrics = p.door().MetricsURL()
	}
	return daemon.Report{
		Metrics: metrics,
		PID:     os.Getpid(), Version: p.Version, Landscape: p.Config.Name, Started: p.started, Ready: ready != 0 && serves(parts, further), ReadyAfter: ready,
		FrontDoor: p.Config.FrontDoorAddress(port), HandlerFrontDoors: p.Config.HandlerFrontDoors(port),
		NameServer: p.state.Ports.Local(servers.DNS), Containers: p.pods.Tell, Parts: append(parts, further...),
	}
}

// serves reports whether the landscape serves. Further seeds count only by their processes and by the control planes of their
// shoots. Everything else that ails them is told by their Seeds.
func serves(parts []component.Status, further []component.Status) bool {
	lame := func(part component.Status) bool { return !part.Serves() }
	lameProcess := func(part component.Status) bool {
		return lame(part) && (strings.HasPrefix(part.Name, own.ClusterPart("")) || strings.HasPrefix(part.Name, managers.PartOf(controlplanes.PartName, "")))
	}
	return !slices.ContainsFunc(parts, lame) && !slices.ContainsFunc(further, lameProcess)
}

// observe is called on each change of a part's status.
func (p *process) observe(status component.Status) {
	p.journal.Note(status)
	for _, observe := range p.observers {
		observe(status)
	}
	p.control.Changed()
}
