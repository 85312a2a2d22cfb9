package flow

import (
	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/addons"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/apiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/cleanup"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/controlplane"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/dns"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/encryption"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/extensions"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/forced"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/hibernation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/infrastructure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/machines"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/monitoring"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/namespace"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/oidc"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/podautoscaling"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/project"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/system"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/tunnel"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/workers"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
)

// parts do the work of the steps.
type parts struct {
	space            seed.Space
	project          project.Project
	namespace        namespace.Namespace
	credentials      credentials.Credentials
	records          dns.Records
	backup           etcd.Backup
	source           etcd.Source
	left             etcd.Left
	etcd             etcd.Etcd
	entry            apiserver.Entry
	apiServer        apiserver.Server
	connector        connection.Connector
	encrypted        encryption.Objects
	oidcWebhook      oidc.Webhook
	resourceManager  controlplane.ResourceManager
	controllers      controlplane.Controllers
	scheduler        controlplane.Scheduler
	infrastructure   infrastructure.Infrastructure
	extensions       extensions.Extensions
	controlPlane     extensions.ControlPlane
	network          extensions.Network
	runtimes         extensions.ContainerRuntimes
	operatingSystems workers.OperatingSystems
	nodeAgents       workers.NodeAgents
	workers          workers.Workers
	machineManager   machines.Manager
	autoscaler       machines.Autoscaler
	tunnel           tunnel.Tunnel
	components       system.Components
	managed          system.Managed
	dns              system.DNS
	nodeLocalDNS     system.NodeLocalDNS
	kubeProxy        system.KubeProxy
	podAutoscaling   podautoscaling.Autoscaling
	monitoring       monitoring.Monitoring
	dashboard        addons.Dashboard
	ingress          addons.Ingress
	cleanup          cleanup.Cleanup
	leftovers        forced.Leftovers
	hibernation      hibernation.Hibernation
}

// replicas are the numbers of pods of the components; zero if the control plane sleeps.
type replicas struct {
	one         int32 // of components of which only one can run
	members     int32 // of each etcd
	servers     int32 // of kube-apiserver
	controllers int32 // of the others
}

func newParts(c Config) parts {
	op := c.Operation
	space := seed.New(op.TechnicalID(), c.Gardenlet.Image, c.Seed, c.Gardenlet.Pods, c.Clock)
	space.Extensions.Restored, space.Availability = c.Restored, c.Availability
	reached := exposure.Shoot{Access: c.Access, Domains: op.Domains, Shoot: op.Shoot, Seed: op.Seed.Name, ExposureClass: op.ExposureClass}
	replicas := replicas{}
	if c.Facts.ControlPlaneRuns(op.Shoot) {
		replicas.one, replicas.members, replicas.servers, replicas.controllers = 1, c.Availability.Members(), c.Availability.Servers(), c.Availability.Controllers()
	}
	p := parts{space: space, project: project.Project{Shoot: op.Shoot, TechnicalID: op.TechnicalID(), Client: c.Garden, Reader: c.GardenReader, MetricsURL: c.Access.MetricsURL}}
	p.addServers(c, reached, replicas)
	p.addProvider(c, reached, replicas)
	p.addShoot(c, reached, replicas)
	p.cleanup = cleanup.Cleanup{Shoot: op.Shoot, Clock: c.Clock}
	p.leftovers = forced.Leftovers{Space: space}
	p.hibernation = hibernation.Hibernation{Space: space, Exposure: reached, Etcd: p.etcd}
	return p
}

// addServers adds the parts for the servers of the control plane.
func (p *parts) addServers(c Config, reached exposure.Shoot, replicas replicas) {
	op, shoot, space := c.Operation, c.Operation.Shoot, p.space
	p.namespace = namespace.Namespace{
		Shoot: shoot, Seed: op.Seed, Credentials: op.Credentials, KeepCredentials: op.KeepCredentials, Extensions: op.Extensions, ClusterIdentity: op.ClusterIdentity(), Space: space, Status: c.Status, GardenReader: c.GardenReader,
	}
	p.credentials = credentials.Credentials{Shoot: shoot, Space: space, Project: p.project, Exposure: reached, Clock: c.Clock}
	p.records = dns.Records{Shoot: shoot, Space: space, Exposure: reached, TTL: c.Gardenlet.DNSRecordTTL, NextOwner: c.NextSeedIdentity, Published: c.OwnerPublished}
	p.backup = etcd.Backup{Shoot: shoot, Seed: op.Seed, Name: op.BackupEntryName(), Project: p.project, GardenReader: c.GardenReader, Clock: c.Clock}
	p.source = etcd.Source{Backup: p.backup, Space: space, Access: c.Gardenlet.BackupAccess}
	p.etcd = etcd.Etcd{Shoot: shoot, Seed: op.Seed, BackupEntry: op.BackupEntryName(), Space: space, SeedConfig: c.SeedConfig, Replicas: replicas.members, Members: c.Availability.Members(), Restored: c.Restored != nil, Backups: c.Gardenlet.Backups, Scaled: c.Gardenlet.ScaleEtcds}
	p.left = etcd.Left{Etcd: p.etcd, Source: p.source}
	if op.ChecksOwner() {
		p.records.Owner = c.SeedIdentity
		p.etcd.Owner = &component.Owner{Name: op.Internal.Owner(), ID: c.SeedIdentity}
	}
	p.entry = apiserver.Entry{Space: space, Exposure: reached, Status: c.Status}
	p.connector = connection.Connector{Space: space, Exposure: reached}
	p.oidcWebhook = oidc.Webhook{
		Extensions: op.Extensions, AllowedIssuerHosts: operation.AllowedIssuerHosts(op.Seed), RefusedRanges: operation.SeedRanges(op.Seed),
		PrivateNetworks: reached.PrivateNetworks, Space: space, Replicas: replicas.controllers,
	}
	p.apiServer = apiserver.Server{
		Shoot: shoot, Seed: op.Seed, Networks: op.Networks(), Space: space, Exposure: reached,
		Webhook: p.oidcWebhook, GardenReader: c.GardenReader, Replicas: replicas.servers, EtcdMembers: c.Availability.Members(),
	}
	p.encrypted = encryption.Objects{Shoot: shoot, Space: space, Connector: p.connector}
	p.resourceManager = controlplane.ResourceManager{Space: space, Exposure: reached, Replicas: replicas.controllers, SeedIdentity: c.SeedIdentity}
	p.controllers = controlplane.Controllers{Shoot: shoot, Networks: op.Networks(), Space: space, Replicas: replicas.controllers}
	p.scheduler = controlplane.Scheduler{Shoot: shoot, Space: space, Replicas: replicas.controllers}
	p.tunnel = tunnel.Tunnel{Space: space, Exposure: reached, Replicas: replicas.one}
}

// addProvider adds the parts for extensions and the components beside them.
func (p *parts) addProvider(c Config, reached exposure.Shoot, replicas replicas) {
	op, shoot, space := c.Operation, c.Operation.Shoot, p.space
	profile := op.CloudProfile.Spec
	p.infrastructure = infrastructure.Infrastructure{Shoot: shoot, Networks: op.Networks(), Space: space, Project: p.project, Status: c.Status}
	p.extensions = extensions.Extensions{Needed: op.Extensions, Space: space}
	p.controlPlane = extensions.ControlPlane{Shoot: shoot, Space: space}
	p.network = extensions.Network{Shoot: shoot, Networks: op.Networks(), Space: space}
	p.runtimes = extensions.ContainerRuntimes{Shoot: shoot, Space: space}
	p.operatingSystems = workers.OperatingSystems{Shoot: shoot, Networks: op.Networks(), CABundle: profile.CABundle, Space: space, Exposure: reached}
	p.nodeAgents = workers.NodeAgents{Shoot: shoot, Space: space}
	p.workers = workers.Workers{Shoot: shoot, MachineTypes: profile.MachineTypes, Space: space}
	p.machineManager = machines.Manager{Space: space, Replicas: replicas.controllers}
	p.autoscaler = machines.Autoscaler{Shoot: shoot, Space: space, Replicas: replicas.one}
}

// addShoot adds the parts for components in the shoot.
func (p *parts) addShoot(c Config, reached exposure.Shoot, replicas replicas) {
	op, shoot, space := c.Operation, c.Operation.Shoot, p.space
	restarts := system.Restarts{Shoot: shoot, Clock: c.Clock}
	p.components = system.Components{
		Shoot: shoot, Project: op.Project, ClusterIdentity: op.ClusterIdentity(), Networks: op.Networks(), Extensions: op.Extensions, Space: space, Exposure: reached,
	}
	p.managed = system.Managed{Space: space}
	p.dns = system.DNS{Shoot: shoot, Networks: op.Networks(), Space: space, Restarts: restarts, Image: c.Gardenlet.Images.CoreDNS}
	p.nodeLocalDNS = system.NodeLocalDNS{Shoot: shoot, Networks: op.Networks(), Space: space}
	p.kubeProxy = system.KubeProxy{Shoot: shoot, PodCIDR: op.Networks().Pods, Space: space, Exposure: reached, Restarts: restarts, Image: c.Gardenlet.Images.KubeProxy}
	p.podAutoscaling = podautoscaling.Autoscaling{Shoot: shoot, Space: space, Exposure: reached, Replicas: replicas.one}
	p.monitoring = monitoring.Monitoring{Shoot: shoot, Space: space, Enabled: c.Gardenlet.Monitoring, Tunnelled: reached.Tunnelled(), Replicas: replicas.one, Members: c.Availability.Members()}
	p.dashboard = addons.Dashboard{Shoot: shoot, Space: space}
	p.ingress = addons.Ingress{Shoot: shoot, Domain: op.External, Space: space, DNS: p.records}
}
