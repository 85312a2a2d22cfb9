package appliance

import (
	"context"
	"os"
	"sync/atomic"
	"time"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/operators"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/image"
)

// process holds what a landscape and the cluster of an own seed have in common.
type process struct {
	Options
	*state.State
	pki     *pki.PKI
	bundle  *pki.Bundle
	control *daemon.Control // nil unless the process runs
	started time.Time
	ready   atomic.Int64 // nanoseconds from the start until all parts were ready; 0 before
}

// servers are the inputs of this process's servers. Call it once the certificates exist.
func (p *process) servers() servers.Inputs {
	c := p.Config
	return servers.Inputs{
		Access: servers.Access{Ports: p.Ports, PKI: p.bundle}, Landscape: c.Name, FrontDoorIP: c.FrontDoor.Address, Paths: p.Paths, Log: p.Log,
		Image:   image.Named(c.Image),
		Domains: servers.Domains{Garden: c.GardenDomain(), Internal: c.InternalDomain(), External: c.ExternalDomain()},
		Cluster: servers.Cluster{Name: c.Seed.Name, NodeIP: c.Seed.NodeIP(), PodCIDR: c.Seed.PodCIDR, ServiceCIDR: c.Seed.ServiceCIDR},
	}
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
	return of.writeKubeconfigs()
}

// renewal looks for certificates that are due while the process runs.
func (p *process) renewal(of certified) component.Component {
	return loop.New("certificates", func(ctx context.Context) error {
		return p.pki.RunRenewal(ctx, func(_ *pki.Bundle, err error) {
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

func (p *process) tell(parts []component.Status) daemon.Report {
	ready, port := time.Duration(p.ready.Load()), p.Ports[servers.FrontDoor]
	return daemon.Report{
		PID: os.Getpid(), Version: p.Version, Landscape: p.Config.Name, Started: p.started, Ready: ready != 0, ReadyAfter: ready,
		FrontDoor: p.Config.FrontDoorAddress(port), HandlerFrontDoors: p.Config.HandlerFrontDoors(port),
		NameServer: p.Ports.Local(servers.DNS), Parts: parts,
	}
}

// observe is called on each change of a part's status.
func (p *process) observe(status component.Status) {
	p.note(status)
	p.control.Changed()
}

// note writes the steps of a start to the journal.
func (p *process) note(status component.Status) {
	log := p.Log.WithValues("part", status.Name, "state", status.State)
	switch status.State {
	case component.Ready:
		log.Info("Part is ready", "took", status.Took.String())
	case component.Failed, component.Backoff:
		log.Info("Part ended", "reason", status.Message)
	case component.Stopped:
		log.Info("Part stopped")
	default:
		return
	}
	entry := store.Entry{Time: time.Now().UTC(), Step: status.Name, Message: string(status.State) + " " + status.Message}
	if err := p.Store.Note(entry); err != nil {
		p.Log.Error(err, "Journal cannot be written")
	}
}
