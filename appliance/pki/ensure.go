package pki

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Ensure makes missing files and renews certificates that are due. It is idempotent and may crash at any point. A lasting key
// is made in the first call only.
func (p *PKI) Ensure() (*Bundle, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ensureAll()
}

// ensureAll is Ensure for callers that hold the lock.
func (p *PKI) ensureAll() (*Bundle, error) {
	b := &Bundle{}
	err := errors.Join(p.ensureEtcd(&b.Etcd), p.ensureSeed(b), p.ensurePods(b))
	if len(p.hosts.GardenAPI) > 0 {
		err = errors.Join(err, p.ensureGarden(b))
	}
	if err != nil {
		return nil, fmt.Errorf("certificates: %w", err)
	}
	p.complete = true
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
	further, err := p.FurtherNames()
	if err != nil {
		return err
	}
	if err := p.ensureCluster("garden", &b.Garden, slices.Concat(p.hosts.GardenAPI, further)); err != nil {
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
	inner, err := p.loadAuthority("garden/inner-ca")
	if err != nil {
		return err
	}
	b.Inner.CA = inner.file
	if b.GardenEncryption, err = p.encryptionConfig(); err != nil {
		return err
	}
	b.WorkloadIdentityKey = p.dir + "/garden/workload-identity.key"
	if _, err := p.key("garden/workload-identity"); err != nil {
		return err
	}
	if users := p.hosts.TokenWebhook; users != nil {
		if err := errors.Join(
			p.into(&b.TokenWebhook.Server, leaf{name: "garden/token-webhook", issuer: inner, user: "token-webhook", hosts: loopbackHosts()}),
			p.into(&b.TokenWebhook.User, leaf{name: "garden/token-webhook-client", issuer: clientCA, user: users.Webhook}),
			p.into(&b.TokenWebhook.Caller, leaf{name: "garden/token-webhook-caller", issuer: clientCA, user: users.Caller}),
		); err != nil {
			return err
		}
	}
	return errors.Join(
		p.into(&b.Inner.Server, leaf{name: "garden/inner", issuer: inner, user: InnerName, hosts: []string{InnerName}}),
		p.into(&b.GardenerAPI, leaf{name: "garden/gardener-apiserver", issuer: ca, user: "gardener-apiserver",
			hosts: append(append(loopbackHosts(), "gardener-apiserver", "gardener-apiserver.garden", "gardener-apiserver.garden.svc"), p.hosts.GardenerAPI...)}),
		p.into(&b.Admission, leaf{name: "garden/gardener-admission-controller", issuer: inner, user: "gardener-admission-controller", hosts: loopbackHosts()}),
		p.into(&b.Metrics, leaf{name: "garden/metrics", issuer: ca, user: "metrics", hosts: append(loopbackHosts(), p.hosts.Metrics...)}),
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
	c.CA, c.ClientCA, c.FrontProxyCA = ca.trust, clientCA.trust, frontProxyCA.trust
	c.CAKey, c.ClientIssuer, c.ClientIssuerKey = keyOf(ca.file), clientCA.file, keyOf(clientCA.file)
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
	c.FormerServiceAccountKeys = p.dir + "/" + dir + "/service-account.former"
	_, err := p.key(dir + "/service-account")
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

// SetFurtherNames makes the certificate of the garden's API server valid for these names beside those of Hosts, from now on and after
// a restart. The server reads the certificate again by itself.
func (p *PKI) SetFurtherNames(names []string) error {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := WriteFile(filepath.Join(p.dir, namesFile), []byte(strings.Join(names, "\n"))); err != nil {
		return fmt.Errorf("note names of the garden: %w", err)
	}
	_, err := p.ensureAll()
	return err
}
