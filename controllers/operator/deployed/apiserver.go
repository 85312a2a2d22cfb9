package deployed

import (
	"context"
	"fmt"
	"net"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// hosts are the names of the API server for its users, the first of which is in kubeconfigs.
func (w *writer) hosts() []string { return hostsOf(w.garden) }

func hostsOf(garden *operatorv1alpha1.Garden) (hosts []string) {
	dns := garden.Spec.VirtualCluster.DNS
	if dns.Domain != nil && len(dns.Domains) == 0 {
		hosts = append(hosts, constants.APIServerFQDNPrefix+"."+*dns.Domain)
	}
	for _, domain := range dns.Domains {
		hosts = append(hosts, constants.APIServerFQDNPrefix+"."+domain.Name)
	}
	return hosts
}

// prepare writes the Service of the API server, whose address is in its certificate, and then makes all secrets.
func (r run) prepare(ctx context.Context) (clusterIP string, err error) {
	if clusterIP, err = r.service(ctx); err != nil {
		return "", err
	}
	return clusterIP, r.generate(ctx, clusterIP)
}

// service writes the Service of the API server, which users reach by the gateway, and returns its address.
func (w *writer) service(ctx context.Context) (clusterIP string, err error) {
	service := kubeapiserver.NamedService(apiServer, w.Namespace)
	service.Spec.TrafficDistribution = distribution(w.garden.Spec.RuntimeCluster.Settings)
	written, err := w.apply(ctx, service)
	if err != nil {
		return "", err
	}
	clusterIP, _, _ = unstructured.NestedString(written.Object, "spec", "clusterIP")
	if net.ParseIP(clusterIP) == nil {
		return "", fmt.Errorf("service %q has no cluster IP yet", apiServer)
	}
	return clusterIP, nil
}

// addresses are those in the certificate of the API server.
func addresses(services, clusterIP string) ([]net.IP, error) {
	first, err := operation.Networks{Services: services}.ServiceIP(1)
	if err != nil {
		return nil, err
	}
	return []net.IP{first, net.ParseIP(clusterIP)}, nil
}

// services is the range of Services of the virtual garden.
func (w *writer) services() string { return w.garden.Spec.VirtualCluster.Networking.Services[0] }

// deployAPIServer writes the API server.
func (r run) deployAPIServer(ctx context.Context, clusterIP string) error {
	values, err := r.apiServerValues(ctx, clusterIP)
	if err != nil {
		return err
	}
	objects, deployment, err := kubeapiserver.Objects(values)
	if err != nil {
		return err
	}
	prioritise(deployment, constants.PriorityClassNameGardenSystem500)
	return r.applyAll(ctx, objects...)
}

func (r run) apiServerValues(ctx context.Context, clusterIP string) (kubeapiserver.Values, error) {
	cluster := &r.garden.Spec.VirtualCluster
	config := &gardencorev1beta1.KubeAPIServerConfig{}
	if settings := cluster.Kubernetes.KubeAPIServer; settings != nil && settings.KubeAPIServerConfig != nil {
		config = settings.KubeAPIServerConfig
	}
	values := kubeapiserver.Values{
		Namespace: r.Namespace, Prefix: prefix, Image: r.Image, Replicas: r.availability.Servers(), EtcdMembers: r.availability.Members(),
		Version: cluster.Kubernetes.Version, Config: config, AllAddresses: true, AdvertiseAddress: clusterIP, ServiceCIDR: r.services(),
		Hostname: r.hosts()[0], Issuer: "https://" + r.hosts()[0], Workerless: true, BootstrapTokens: true,
		Secrets: r.made.apiServer, Encryption: r.encryption(constants.SecretNameETCDEncryptionKey),
		HealthToken: secretsmanager.TokenFor(r.secrets.Current(constants.SecretNameKubeAPIServerStaticToken).Data, kubeapiserver.HealthCheckUser),
		SeedRanges:  ranges(&r.garden.Spec.RuntimeCluster.Networking), AllowedIssuerHosts: ownServers(r.Namespace),
	}
	if accounts := config.ServiceAccountConfig; accounts != nil && ptr.Deref(accounts.Issuer, "") != "" {
		values.Issuer = *accounts.Issuer
	}
	if err := r.readDocuments(ctx, config, &values); err != nil {
		return values, err
	}
	return values, r.authorize(&values)
}

// ranges are the networks of the runtime cluster. Users of the virtual garden must not reach them through its API server.
func ranges(networking *operatorv1alpha1.RuntimeNetworking) []string {
	return operation.Ranges(slices.Concat(networking.Nodes, networking.Pods, networking.Services, networking.BlockCIDRs)...)
}

// ownServers are the servers of Gardener that the API server calls for its users.
func ownServers(namespace string) (hosts []string) {
	for name, port := range map[string]int32{gardenerAPIServer: portAPIServer, gardenerAdmission: portAdmission} {
		for _, host := range []string{name + "." + namespace + ".svc", name + "." + namespace + ".svc.cluster.local"} {
			hosts = append(hosts, fmt.Sprintf("%s:%d", host, port))
		}
	}
	slices.Sort(hosts)
	return hosts
}
