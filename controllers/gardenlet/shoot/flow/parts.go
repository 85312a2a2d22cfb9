package flow

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/addons"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/apiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/cleanup"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/controlplane"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/dns"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/extensions"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/hibernation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/infrastructure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/machines"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/namespace"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/oidc"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/podautoscaling"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/project"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/system"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/tunnel"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/workers"
)

// parts do the work of the steps.
type parts struct {
	space            seed.Space
	project          project.Project
	namespace        namespace.Namespace
	credentials      credentials.Credentials
	records          dns.Records
	backup           etcd.Backup
	etcd             etcd.Etcd
	entry            apiserver.Entry
	apiServer        apiserver.Server
	connector        connection.Connector
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
	dashboard        addons.Dashboard
	ingress          addons.Ingress
	cleanup          cleanup.Cleanup
	hibernation      hibernation.Hibernation
}

func newParts(c Config) parts {
	op := c.Operation
	space := seed.New(op.TechnicalID(), c.Image, c.SeedClient, c.Pods, c.Clock)
	reached := exposure.Shoot{Access: c.Access, Operation: op}
	replicas := int32(0)
	if c.Facts.ControlPlaneRuns(op) {
		replicas = 1
	}
	p := parts{space: space, project: project.Project{Operation: op, Client: c.Garden}}
	p.addServers(c, reached, replicas)
	p.addProvider(c, reached, replicas)
	p.addShoot(c, reached, replicas)
	p.cleanup = cleanup.Cleanup{Operation: op, Clock: c.Clock}
	p.hibernation = hibernation.Hibernation{Space: space, Exposure: reached, Etcd: p.etcd}
	return p
}

// addServers adds the parts for the servers of the control plane.
func (p *parts) addServers(c Config, reached exposure.Shoot, replicas int32) {
	op, space := c.Operation, p.space
	p.namespace = namespace.Namespace{Operation: op, Space: space, Status: c.Status, GardenReader: c.GardenReader}
	p.credentials = credentials.Credentials{Operation: op, Space: space, Project: p.project, Exposure: reached, Clock: c.Clock}
	p.records = dns.Records{Operation: op, Space: space, Exposure: reached, TTL: c.DNSRecordTTL}
	p.backup = etcd.Backup{Operation: op, Project: p.project, GardenReader: c.GardenReader}
	p.etcd = etcd.Etcd{Operation: op, Space: space, Replicas: replicas}
	p.entry = apiserver.Entry{Operation: op, Space: space, Exposure: reached, Status: c.Status}
	p.connector = connection.Connector{Space: space, Exposure: reached}
	p.oidcWebhook = oidc.Webhook{Operation: op, Space: space, Replicas: replicas}
	p.apiServer = apiserver.Server{
		Operation: op, Space: space, Project: p.project, Exposure: reached, Connector: p.connector, Webhook: p.oidcWebhook, GardenReader: c.GardenReader, Replicas: replicas,
	}
	p.resourceManager = controlplane.ResourceManager{Space: space, Exposure: reached, Replicas: replicas, SeedIdentity: c.SeedIdentity}
	p.controllers = controlplane.Controllers{Operation: op, Space: space, Replicas: replicas}
	p.scheduler = controlplane.Scheduler{Operation: op, Space: space, Replicas: replicas}
	p.tunnel = tunnel.Tunnel{Space: space, Exposure: reached, Replicas: replicas}
}

// addProvider adds the parts for extensions and the components beside them.
func (p *parts) addProvider(c Config, reached exposure.Shoot, replicas int32) {
	op, space := c.Operation, p.space
	p.infrastructure = infrastructure.Infrastructure{Operation: op, Space: space, Project: p.project, Status: c.Status}
	p.extensions = extensions.Extensions{Operation: op, Space: space}
	p.controlPlane = extensions.ControlPlane{Operation: op, Space: space}
	p.network = extensions.Network{Operation: op, Space: space}
	p.runtimes = extensions.ContainerRuntimes{Operation: op, Space: space}
	p.operatingSystems = workers.OperatingSystems{Operation: op, Space: space, Exposure: reached}
	p.nodeAgents = workers.NodeAgents{Operation: op, Space: space}
	p.workers = workers.Workers{Operation: op, Space: space}
	p.machineManager = machines.Manager{Space: space, Replicas: replicas}
	p.autoscaler = machines.Autoscaler{Operation: op, Space: space, Replicas: replicas}
}

// addShoot adds the parts for components in the shoot.
func (p *parts) addShoot(c Config, reached exposure.Shoot, replicas int32) {
	op, space := c.Operation, p.space
	restarts := system.Restarts{Shoot: op.Shoot, Clock: c.Clock}
	p.components = system.Components{Operation: op, Space: space, Exposure: reached}
	p.managed = system.Managed{Space: space}
	p.dns = system.DNS{Operation: op, Space: space, Restarts: restarts, Image: c.Images.CoreDNS}
	p.nodeLocalDNS = system.NodeLocalDNS{Operation: op, Space: space}
	p.kubeProxy = system.KubeProxy{Operation: op, Space: space, Exposure: reached, Restarts: restarts, Image: c.Images.KubeProxy}
	p.podAutoscaling = podautoscaling.Autoscaling{Operation: op, Space: space, Exposure: reached, Replicas: replicas}
	p.dashboard = addons.Dashboard{Operation: op, Space: space}
	p.ingress = addons.Ingress{Operation: op, Space: space, DNS: p.records}
}
