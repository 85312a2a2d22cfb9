// Package kubeapiserver builds the kube-apiserver of a shoot: Deployment, Service, the files it reads, and the route to it
// through the front door. It writes nothing to a cluster; the flow applies what it builds.
package kubeapiserver

import (
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Values are what the objects depend on.
type Values struct {
	Namespace string
	Replicas  int32
	// Version of Kubernetes the shoot asks for.
	Version string
	// Config is what the shoot says about kube-apiserver; nil for all defaults.
	Config *gardencorev1beta1.KubeAPIServerConfig
	// AdvertiseAddress is what the Service kubernetes in the shoot points to.
	AdvertiseAddress string
	ServiceCIDR      string
	// Hostname is what the server calls itself, e.g. in the OIDC discovery document.
	Hostname string
	// Issuer of service account tokens.
	Issuer     string
	Workerless bool
	Secrets    Secrets
	// Egress leads into the shoot's network; nil where that is the seed's own.
	Egress *Egress
	// HealthToken is the static token that the probes use.
	HealthToken string
	// Encryption are the keys, the one to write with first.
	Encryption []EncryptionKeyData
	// AuditPolicy, Authentication are the documents that the shoot refers to; empty for none.
	AuditPolicy    string
	Authentication string
	// PluginKubeconfigs are the kubeconfigs that admission plugins of the shoot refer to, by plugin.
	PluginKubeconfigs map[string][]byte
}

// Egress is the tunnel into the shoot's network.
type Egress struct {
	// Service and Port of the server that takes CONNECT requests.
	Service string
	Port    int32
	// CASecret and ClientSecret are the names of the Secrets by which both sides know each other.
	CASecret, ClientSecret string
}

// URL of the server.
func (e *Egress) URL() string { return fmt.Sprintf("https://%s:%d", e.Service, e.Port) }

// etcdPort is that of the pods of its etcds.
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
	dirAdmission      = "/etc/kubernetes/admission"
	dirOIDC           = "/etc/kubernetes/oidc"
	dirEgress         = "/etc/kubernetes/egress"
	dirEgressCA       = "/pki/ca-vpn"
	dirEgressClient   = "/pki/http-proxy"
)

// Objects builds the Deployment, last, and the config maps and secrets that it mounts.
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
		Name: names.APIServer, Namespace: v.Namespace, Labels: Labels(), Component: "kube-apiserver",
		Args: flags(v, files), Replicas: v.Replicas, Port: names.APIServerPort,
		Ready: pod.Ready("/readyz", names.APIServerPort, token), Live: pod.Live("/livez", names.APIServerPort, token),
		Mounts: append(pki(v), files.mounts()...), PriorityClass: constants.PriorityClassNameShootControlPlane500,
		Reaches: reaches(v),
	})
	for _, labels := range []map[string]string{deployment.Labels, deployment.Spec.Template.Labels} {
		maps.Copy(labels, names.Allowed(constants.LabelNetworkPolicyFromPrometheus))
	}
	return append(files.objects(), deployment), deployment, nil
}

// reaches are its etcds, the webhooks of the resource manager and of extensions, and whatever webhooks and identity
// providers users name. Into the shoot it is let through the tunnel, or directly if there is none.
func reaches(v Values) []string {
	out := []string{
		constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyToPublicNetworks, constants.LabelNetworkPolicyToPrivateNetworks,
		names.Reach("etcd-main-client", etcdPort), names.Reach("etcd-events-client", etcdPort),
		names.Reach("gardener-resource-manager", pod.WebhookPort), names.ReachWebhooks,
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
