package monitoring

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/federation"
	"github.com/gardener-up/gardener-up/embedded/kubeletmetrics"
)

const (
	// labelMachine is the label app of pods that are machines of shoots.
	labelMachine = "machine"
	// labelEtcd is that of members of etcds.
	labelEtcd = "etcd-statefulset"
	// Names that the gardenlet gives to Secrets by their label.
	secretKubeletClient = constants.SecretNameKubeAPIServerToKubelet
	secretKubeletCA     = constants.SecretNameCAKubelet + "-bundle"
)

// server is how a pod of a control plane serves its metrics, by the label role.
type server struct {
	job  string
	port int
}

// servedBy are the servers of control planes that have metrics. Those of etcd are plain HTTP, in its namespace only.
var servedBy = map[string]server{
	"apiserver":          {jobAPIServer, 6443},
	"controller-manager": {"kube-controller-manager", 10257},
	"scheduler":          {"kube-scheduler", 10259},
	"main":               {jobEtcd, 2381},
	"events":             {jobEtcd, 2381},
}

// controlPlane is what the seed knows of a shoot.
type controlPlane struct {
	shoot   *gardencorev1beta1.Shoot
	seed    *rest.Config
	access  func(kubeconfig []byte) (*rest.Config, error)
	pods    []corev1.Pod // also those of its machines
	secrets map[string]corev1.Secret
}

// targets of the shoot. There are none but its conditions while its control plane does not run.
func (c controlPlane) targets(ctx context.Context) []federation.Target {
	scope := shootScope(c.shoot)
	out := []federation.Target{{Cluster: scope.String(), Job: jobConditions, Instance: c.shoot.Name, Gather: func(context.Context) (federation.Families, error) {
		return shootState(c.shoot), nil
	}}}
	config, secured, err := c.connect() // fails as long as the control plane is only half made
	serves, machines := false, 0
	for i := range c.pods {
		one := &c.pods[i]
		if one.Status.PodIP == "" {
			continue
		}
		if one.Labels[constants.LabelApp] == labelMachine {
			if ip, err := netip.ParseAddr(one.Status.PodIP); err == nil && ip.IsLoopback() {
				machines++
				out = append(out, c.machine(scope, one)...)
			}
			continue
		}
		target, ok := c.server(scope, one, secured)
		switch {
		case !ok:
		case err != nil && target.Job != jobEtcd:
			out = append(out, down(scope, target.Job, target.Instance, err))
		default:
			serves = serves || target.Job == jobAPIServer
			out = append(out, target)
		}
	}
	if serves && machines == 0 {
		out = append(out, behind(ctx, scope, config)...)
	}
	return out
}

func (c controlPlane) server(scope federation.Scope, one *corev1.Pod, secured *tls.Config) (federation.Target, bool) {
	role := one.Labels[constants.LabelRole]
	known, ok := servedBy[role]
	if !ok || (known.job == jobEtcd) != (one.Labels[constants.LabelApp] == labelEtcd) {
		return federation.Target{}, false
	}
	target := federation.Target{Cluster: scope.String(), Job: known.job, Instance: one.Name}
	at := c.pod(one, known.port)
	if known.job == jobEtcd {
		target.Labels, target.Gather = map[string]string{"role": role}, at.gather(one.Name, nil)
	} else {
		target.Gather = at.gather(known.job+"."+one.Namespace+".svc", secured)
	}
	return target, true
}

func (c controlPlane) pod(one *corev1.Pod, port int) pod {
	return pod{seed: c.seed, ip: one.Status.PodIP, port: port, key: keyOf(one)}
}

// connect is the access of Gardener to the API server of the shoot, and what secures connections to the other servers, which have
// certificates of the same authority and ask the same API server who may read.
func (c controlPlane) connect() (*rest.Config, *tls.Config, error) {
	config, err := c.access(c.secrets[constants.SecretNameGardenerInternal].Data[constants.DataKeyKubeconfig])
	if err != nil {
		return nil, nil, fmt.Errorf("read the access to the shoot: %w", err)
	}
	secured, err := rest.TLSConfigFor(config)
	if err == nil && secured == nil {
		err = errors.New("the access to the shoot has no authority")
	}
	return config, secured, err
}

// machine is the kubelet of an embedded node, which is a pod of the seed. An API server forwards to no such address.
func (c controlPlane) machine(scope federation.Scope, one *corev1.Pod) []federation.Target {
	secured, err := c.kubelets()
	if err != nil {
		return []federation.Target{down(scope, jobKubelet, one.Name, err)}
	}
	at, name := c.pod(one, names.KubeletPort), one.Status.PodIP // its certificate is for addresses
	return []federation.Target{
		{Cluster: scope.String(), Job: jobKubelet, Instance: one.Name, Gather: at.gatherAt(metricsPath, name, secured, federation.LongestOfUsers)},
		{Cluster: scope.String(), Job: jobResources, Instance: one.Name, Gather: at.gatherAt(kubeletmetrics.Path, name, secured, federation.LongestOfUsers)},
	}
}

// kubelets is what the API server has to speak to kubelets.
func (c controlPlane) kubelets() (*tls.Config, error) {
	client, authority := c.secrets[secretKubeletClient], c.secrets[secretKubeletCA]
	pair, err := tls.X509KeyPair(client.Data["tls.crt"], client.Data["tls.key"])
	if err != nil {
		return nil, fmt.Errorf("read the certificate for kubelets: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority.Data["bundle.crt"]) {
		return nil, errors.New("the authority of kubelets is not known yet")
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool, Certificates: []tls.Certificate{pair}}, nil
}

func keyOf(one *corev1.Pod) types.NamespacedName {
	return types.NamespacedName{Namespace: one.Namespace, Name: one.Name}
}
