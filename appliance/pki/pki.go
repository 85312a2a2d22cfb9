// Package pki makes and renews the certificate authorities, certificates and keys of a landscape's own servers: etcd, the
// garden and the runtime cluster. All keys are ECDSA P-256. Certificates of shoots are not made here but by the gardenlet.
package pki

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

// PKI makes and renews the files of one directory. Ensure may be called again at any time and renews what is due. Methods
// may be called from many goroutines.
type PKI struct {
	dir   string
	now   func() time.Time
	hosts Hosts

	mu sync.Mutex
}

// ApplianceUser is the landscape itself, in each of its clusters.
const ApplianceUser = "gardener.cloud:appliance"

// AuthorizationUser is the user in the certificate with which the garden's API server asks for authorizations. It has no
// rights of its own.
const AuthorizationUser = "gardener.cloud:authorization"

// Hosts are the names and addresses in certificates that depend on the landscape's configuration.
type Hosts struct {
	// GardenAPI are the names of the garden's API server, Seed those of the runtime cluster's API server. Loopback addresses
	// and in-cluster names are always added to both. Without GardenAPI, no certificates for a garden are made.
	GardenAPI, SeedAPI []string
	// GardenerAPI are names of the Gardener API server in addition to its in-cluster names and the loopback addresses.
	GardenerAPI []string
	// Node are names and addresses of the kubelet of the embedded seed.
	Node []string
	// Seed is the name of the seed. It is part of its node's user name.
	Seed string
}

// New returns the PKI below dir. now is the clock, time.Now outside tests.
func New(dir string, hosts Hosts, now func() time.Time) *PKI {
	return &PKI{dir: dir, hosts: hosts, now: now}
}

// Bundle holds what Ensure provides: the file names of all certificates and keys, and the signer of pods.
type Bundle struct {
	Etcd   Etcd
	Garden Cluster
	Seed   Cluster
	// GardenerAPI serves the aggregated Gardener API, Admission the webhooks of the garden.
	GardenerAPI, Admission Pair
	// Authorization is the client certificate with which the garden's API server asks for authorizations.
	Authorization Pair
	// GardenEncryption is the encryption configuration of the garden's etcd. WorkloadIdentityKey signs tokens for systems
	// outside of the landscape.
	GardenEncryption, WorkloadIdentityKey string
	// NodeServer is the serving certificate of the kubelet of the embedded seed, issued by Seed.CA.
	NodeServer Pair
	// Pods signs the pods of the runtime cluster.
	Pods *podsignature.Signer
}

// Etcd is the PKI of the two etcd members.
type Etcd struct {
	CA             string
	Server, Client Pair
}

// Cluster is the PKI of one Kubernetes control plane.
type Cluster struct {
	// CA issues serving certificates, ClientCA client certificates, FrontProxyCA the aggregator's.
	CA, ClientCA, ClientCAKey, FrontProxyCA string
	// CAKey is the key of CA, for the signer of kubelet serving certificates.
	CAKey             string
	ServiceAccountKey string
	// Server is the API server's serving certificate. Aggregator is its client certificate for aggregated API servers,
	// Kubelet its client certificate for kubelets.
	Server, Aggregator, Kubelet Pair
	// Users of the appliance's own parts. Operators get certificates by Issue.
	ControllerManager, Scheduler, Node, Appliance Pair
}

// Ensure makes missing files and renews certificates that are due. It is idempotent and may crash at any point.
func (p *PKI) Ensure() (*Bundle, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := &Bundle{}
	err := errors.Join(p.ensureEtcd(&b.Etcd), p.ensureSeed(b), p.ensurePods(b))
	if len(p.hosts.GardenAPI) > 0 {
		err = errors.Join(err, p.ensureGarden(b))
	}
	if err != nil {
		return nil, fmt.Errorf("certificates: %w", err)
	}
	return b, nil
}

func (p *PKI) ensureEtcd(e *Etcd) error {
	ca, err := p.loadAuthority("etcd/ca")
	if err != nil {
		return err
	}
	e.CA = ca.file
	return errors.Join(
		p.into(&e.Server, leaf{name: "etcd/server", issuer: ca, user: "etcd-server", hosts: loopbackHosts(), peer: true}),
		p.into(&e.Client, leaf{name: "etcd/client", issuer: ca, user: "etcd-client"}),
	)
}

func (p *PKI) ensureGarden(b *Bundle) error {
	if err := p.ensureCluster("garden", &b.Garden, p.hosts.GardenAPI); err != nil {
		return err
	}
	ca, err := p.loadAuthority("garden/ca")
	if err != nil {
		return err
	}
	clientCA, err := p.loadAuthority("garden/client-ca")
	if err != nil {
		return err
	}
	if b.GardenEncryption, err = p.encryptionConfig(); err != nil {
		return err
	}
	b.WorkloadIdentityKey = p.dir + "/garden/workload-identity.key"
	if _, err := loadOrCreateKey(b.WorkloadIdentityKey); err != nil {
		return err
	}
	return errors.Join(
		p.into(&b.GardenerAPI, leaf{name: "garden/gardener-apiserver", issuer: ca, user: "gardener-apiserver",
			hosts: append(append(loopbackHosts(), "gardener-apiserver", "gardener-apiserver.garden", "gardener-apiserver.garden.svc"), p.hosts.GardenerAPI...)}),
		p.into(&b.Admission, leaf{name: "garden/gardener-admission-controller", issuer: ca, user: "gardener-admission-controller", hosts: loopbackHosts()}),
		p.into(&b.Authorization, leaf{name: "garden/authorization", issuer: clientCA, user: AuthorizationUser}),
	)
}

func (p *PKI) ensureSeed(b *Bundle) error {
	if err := p.ensureCluster("seed", &b.Seed, p.hosts.SeedAPI); err != nil {
		return err
	}
	ca, err := p.loadAuthority("seed/ca")
	if err != nil {
		return err
	}
	return p.into(&b.NodeServer, leaf{name: "seed/kubelet-server", issuer: ca, user: "system:node:" + p.hosts.Seed, groups: []string{"system:nodes"},
		hosts: append(loopbackHosts(), p.hosts.Node...)})
}

func (p *PKI) ensureCluster(dir string, c *Cluster, hosts []string) error {
	ca, err := p.loadAuthority(dir + "/ca")
	if err != nil {
		return err
	}
	clientCA, err := p.loadAuthority(dir + "/client-ca")
	if err != nil {
		return err
	}
	frontProxyCA, err := p.loadAuthority(dir + "/front-proxy-ca")
	if err != nil {
		return err
	}
	c.CA, c.ClientCA, c.FrontProxyCA = ca.file, clientCA.file, frontProxyCA.file
	c.CAKey, c.ClientCAKey = keyOf(ca.file), keyOf(clientCA.file)
	if err := p.serviceAccountKey(dir, c); err != nil {
		return err
	}
	client := func(name, user string, groups ...string) leaf {
		return leaf{name: dir + "/" + name, issuer: clientCA, user: user, groups: groups}
	}
	return errors.Join(
		p.into(&c.Server, leaf{name: dir + "/kube-apiserver", issuer: ca, user: "kube-apiserver", hosts: append(serverHosts(), hosts...)}),
		p.into(&c.Aggregator, leaf{name: dir + "/kube-aggregator", issuer: frontProxyCA, user: "system:kube-aggregator"}),
		p.into(&c.Kubelet, client("kube-apiserver-kubelet", "kube-apiserver-kubelet-client", "system:masters")),
		p.into(&c.ControllerManager, client("kube-controller-manager", "system:kube-controller-manager")),
		p.into(&c.Scheduler, client("kube-scheduler", "system:kube-scheduler")),
		p.into(&c.Node, client("node", "system:node:"+p.hosts.Seed, "system:nodes")),
		p.into(&c.Appliance, client("appliance", ApplianceUser, "system:masters")),
	)
}

func (p *PKI) serviceAccountKey(dir string, c *Cluster) error {
	c.ServiceAccountKey = p.dir + "/" + dir + "/service-account.key"
	_, err := loadOrCreateKey(c.ServiceAccountKey)
	return err
}

func (p *PKI) into(target *Pair, l leaf) error {
	pair, err := p.ensure(l)
	*target = pair
	return err
}

func loopbackHosts() []string { return []string{"localhost", "127.0.0.1"} }

func serverHosts() []string {
	return append(loopbackHosts(), "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
}

func keyOf(cert string) string { return cert[:len(cert)-len(".crt")] + ".key" }
