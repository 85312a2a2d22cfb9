// Package kubeapiserver builds the kube-apiserver of a shoot: Deployment, Service, the files it reads, and its route
// through the front door. It writes nothing to a cluster; the flow applies the objects.
package kubeapiserver

import (
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Values are the inputs for the objects.
type Values struct {
	Namespace string
	// Prefix begins the names of the Deployment, of its Service, and of the Etcds and the resource manager beside them. It is empty in the
	// namespace of a shoot.
	Prefix   string
	Replicas int32
	// EtcdMembers is the number of members of each etcd.
	EtcdMembers int32
	// Image is the appliance image.
	Image string
	// Version of Kubernetes in the spec of the shoot.
	Version string
	// Config is the configuration in the Shoot; nil for all defaults.
	Config *gardencorev1beta1.KubeAPIServerConfig
	// AdvertiseAddress is the endpoint of the Service kubernetes in the shoot.
	AdvertiseAddress string
	// AllAddresses lets the server listen at all addresses of its pod, also at the one to which ports are forwarded. A pod that is a process shares them.
	AllAddresses bool
	ServiceCIDR  string
	// SeedRanges are the networks of the seed. Users of the shoot must not reach them through the server.
	SeedRanges []string
	// NodesInSeed means that the nodes of the shoot are pods of the seed, to which no tunnel is needed.
	NodesInSeed bool
	// SimulatedRanges are the networks of Services and pods of the shoot; none if there is a tunnel to them.
	SimulatedRanges []string
	// PrivateNetworks are the private networks that users of the shoot may reach through the server.
	PrivateNetworks []string
	// FrontDoors are host:port of entrances to the landscape that everybody may use.
	FrontDoors []string
	// AllowedIssuerHosts are names that users of the shoot may reach at any address. "*" stands for any text.
	AllowedIssuerHosts []string
	// Hostname is the external host name of the server, e.g. in the OIDC discovery document.
	Hostname string
	// BootstrapTokens allows bootstrap tokens also without workers.
	BootstrapTokens bool
	// Issuer of service account tokens.
	Issuer     string
	Workerless bool
	Secrets    Secrets
	// Egress is the tunnel into the network of the shoot; nil if that is the network of the seed.
	Egress *Egress
	// HealthToken is the static token of the probes.
	HealthToken string
	// Encryption are the keys; the first one encrypts.
	Encryption []EncryptionKeyData
	// PopulatedKeys are annotations of the Deployment with the names of new keys of rotations that all pods have.
	PopulatedKeys map[string]string
	// NoLongerEncrypted are resources whose objects may still be stored encrypted.
	NoLongerEncrypted []string
	// FormerProvider is the cipher of stored objects; empty if it is the configured one.
	FormerProvider gardencorev1beta1.EncryptionProviderType
	// AuditPolicy and Authentication are the documents that the shoot refers to; empty if there are none.
	AuditPolicy    string
	Authentication string
	// Authorization are the authorizers that the shoot adds; nil if there are none.
	Authorization *Authorization
	// PluginKubeconfigs are the kubeconfigs that admission plugins of the shoot refer to, by plugin.
	PluginKubeconfigs map[string][]byte
	// TokenWebhook verifies the tokens that no built-in authenticator knows; nil if there is none.
	TokenWebhook *TokenWebhook
}

// TokenWebhook is a webhook that answers TokenReviews.
type TokenWebhook struct {
	// Service and Port of the webhook in the namespace.
	Service string
	Port    int32
	// Kubeconfig contains its URL, its CA and a client certificate.
	Kubeconfig []byte
}

// Egress is the tunnel into the shoot's network.
type Egress struct {
	// Service and Port of the server for CONNECT requests.
	Service string
	Port    int32
	// CASecret and ClientSecret are the names of the Secrets for mutual authentication.
	CASecret, ClientSecret string
}

// URL of the server.
func (e *Egress) URL() string { return fmt.Sprintf("https://%s:%d", e.Service, e.Port) }

// etcdPort is the client port of the pods of the etcds.
const etcdPort = 2379

const (
	dirServer         = "/pki/server"
	dirCAClient       = "/pki/ca-client"
	dirCAEtcd         = "/pki/ca-etcd"
	dirEtcd           = "/pki/etcd"
	dirCAFrontProxy   = "/pki/ca-front-proxy"
	dirAggregator     = "/pki/aggregator"
	dirCAKubelet      = "/pki/ca-kubelet"
	dirKubelet        = "/pki/kubelet"
	dirServiceAccount = "/pki/service-account"
	dirTokenKeys      = "/pki/service-account-keys"
	dirStaticToken    = "/etc/kubernetes/token"
	dirEncryption     = "/etc/kubernetes/encryption"
	dirAudit          = "/etc/kubernetes/audit"
	dirAuditLog       = "/var/log/audit"
	dirAuthentication = "/etc/kubernetes/authentication"
	dirAuthorization  = "/etc/kubernetes/structured-authorization"
	dirAdmission      = "/etc/kubernetes/admission"
	dirOIDC           = "/etc/kubernetes/oidc"
	dirTokenWebhook   = "/etc/webhook"
	dirEgress         = "/etc/kubernetes/egress"
	dirEgressCA       = "/pki/ca-vpn"
	dirEgressClient   = "/pki/http-proxy"
)

// Objects builds the config maps and secrets that the Deployment mounts and, last, the Deployment.
func Objects(v Values) ([]client.Object, *appsv1.Deployment, error) {
	if v.Config == nil {
		v.Config = &gardencorev1beta1.KubeAPIServerConfig{}
	}
	files, err := buildFiles(v)
	if err != nil {
		return nil, nil, err
	}
	token := corev1.HTTPHeader{Name: "Authorization", Value: "Bearer " + v.HealthToken}
	deployment := pod.Deployment(pod.Spec{
		Name: v.Prefix + names.APIServer, Namespace: v.Namespace, Image: v.Image, Labels: Labels(), Component: "kube-apiserver",
		Args: arguments(v, files), Replicas: v.Replicas, Port: names.APIServerPort,
		Ready: pod.Ready("/readyz", names.APIServerPort, token), Live: pod.Live("/livez", names.APIServerPort, token),
		Mounts: append(pki(v), files.mounts()...), PriorityClass: constants.PriorityClassNameShootControlPlane500,
		Reaches: reaches(v), Mutated: true,
	})
	for _, labels := range []map[string]string{deployment.Labels, deployment.Spec.Template.Labels} {
		maps.Copy(labels, names.Allowed(constants.LabelNetworkPolicyFromPrometheus))
	}
	maps.Copy(deployment.Annotations, v.PopulatedKeys)
	objects := files.objects()
	if v.NodesInSeed {
		objects = append(objects, Machines(v.Namespace))
	}
	return append(objects, deployment), deployment, nil
}

// reaches lists the allowed connections: to the etcds, to the webhooks of the resource manager and of extensions, and
// to any webhook and identity provider of users. Connections into the shoot go through the tunnel, or directly if there
// is none.
func reaches(v Values) []string {
	out := []string{
		constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyToPublicNetworks, constants.LabelNetworkPolicyToPrivateNetworks,
		names.Reach(v.Prefix+"etcd-main-client", etcdPort), names.Reach(v.Prefix+"etcd-events-client", etcdPort),
		names.Reach(v.Prefix+resourcemanager.Name, pod.WebhookPort), names.ReachWebhooks,
	}
	if v.TokenWebhook != nil {
		out = append(out, names.Reach(v.TokenWebhook.Service, v.TokenWebhook.Port))
	}
	switch {
	case v.Egress != nil:
		out = append(out, names.Reach(v.Egress.Service, v.Egress.Port))
	case !v.Workerless:
		out = append(out, names.ReachShoot)
	}
	return out
}

// Labels select the pods.
func Labels() map[string]string { return names.ControlPlane("apiserver") }

func pki(v Values) []pod.Mount {
	s := v.Secrets
	mounts := []pod.Mount{
		{Path: dirServer, Secrets: []string{s.Server}},
		{Path: dirCAClient, Secrets: []string{s.CAClientBundle}},
		{Path: dirCAEtcd, Secrets: []string{s.CAEtcdBundle}},
		{Path: dirEtcd, Secrets: []string{s.EtcdClient}},
		{Path: dirCAFrontProxy, Secrets: []string{s.CAFrontProxy}},
		{Path: dirAggregator, Secrets: []string{s.Aggregator}},
		{Path: dirServiceAccount, Secrets: []string{s.ServiceAccount}},
		{Path: dirTokenKeys, Secrets: []string{s.ServiceAccountOld}},
		{Path: dirStaticToken, Secrets: []string{s.StaticToken}},
	}
	if !v.Workerless {
		mounts = append(mounts, pod.Mount{Path: dirCAKubelet, Secrets: []string{s.CAKubeletBundle}}, pod.Mount{Path: dirKubelet, Secrets: []string{s.KubeletClient}})
	}
	if v.Egress != nil {
		mounts = append(mounts, pod.Mount{Path: dirEgressCA, Secrets: []string{v.Egress.CASecret}}, pod.Mount{Path: dirEgressClient, Secrets: []string{v.Egress.ClientSecret}})
	}
	return mounts
}
