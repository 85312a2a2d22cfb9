package pki

import (
	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

// Pair is a certificate with its key on disk. Servers and clients read the files again when they change.
type Pair struct{ Cert, Key string }

// Bundle holds what Ensure provides: the file names of all certificates and keys, and the signer of pods.
type Bundle struct {
	Etcd   Etcd
	Garden Cluster
	Seed   Cluster
	// Inner is how the parts of the landscape reach servers of the garden: over loopback, with an authority that nobody else knows. So
	// they need not follow rotations of the authority that everybody knows.
	Inner Inner
	// GardenerAPI serves the aggregated Gardener API, Admission the webhooks of the garden.
	GardenerAPI, Admission Pair
	// Metrics serves the metrics of the landscape.
	Metrics Pair
	// Authorization is the client certificate with which the garden's API server asks for authorizations.
	Authorization Pair
	// TokenWebhook is for the webhook that verifies tokens for the garden; empty unless Hosts asks for it.
	TokenWebhook TokenWebhook
	// GardenEncryption is the encryption configuration of the garden's etcd. WorkloadIdentityKey signs tokens for systems
	// outside of the landscape.
	GardenEncryption, WorkloadIdentityKey string
	// NodeServer is the serving certificate of the kubelet of the embedded seed, issued by Seed.CA.
	NodeServer Pair
	// Pods signs the pods of the runtime cluster.
	Pods *podsignature.Signer
}

// Inner has the serving certificate of the garden's API server for the name InnerName, and the authority that issued it. The admission
// controller and the webhook that verifies tokens have certificates of the same authority.
type Inner struct {
	CA     string
	Server Pair
}

// InnerName is the name by which parts of the landscape ask for the certificate of Inner.
const InnerName = "garden-apiserver.inner"

// TokenWebhook is the PKI of a webhook that verifies tokens for the garden. User is the webhook in the garden, Caller the garden's
// API server at the webhook.
type TokenWebhook struct{ Server, User, Caller Pair }

// Etcd is the PKI of the two etcd members.
type Etcd struct {
	CA             string
	Server, Client Pair
}

// EtcdClient are the files in the directory of a PKI by which other processes reach its etcds. They exist once Ensure has made them.
func EtcdClient(dir string) Etcd {
	return Etcd{CA: dir + "/etcd/ca.crt", Client: Pair{Cert: dir + "/etcd/client.crt", Key: dir + "/etcd/client.key"}}
}

// Cluster is the PKI of one Kubernetes control plane.
type Cluster struct {
	// CA issues serving certificates, ClientCA client certificates, FrontProxyCA the aggregator's. Whoever verifies certificates trusts
	// all that is in these files. During a rotation that is more than one authority.
	CA, ClientCA, FrontProxyCA string
	// ClientIssuer and ClientIssuerKey sign client certificates.
	ClientIssuer, ClientIssuerKey string
	// CAKey is the key of CA, for the signer of kubelet serving certificates.
	CAKey string
	// ServiceAccountKey signs tokens. FormerServiceAccountKeys are public keys whose tokens are good, too; the file may be missing.
	ServiceAccountKey, FormerServiceAccountKeys string
	// Server is the API server's serving certificate. Aggregator is its client certificate for aggregated API servers,
	// Kubelet its client certificate for kubelets.
	Server, Aggregator, Kubelet Pair
	// Users of the appliance's own parts. Operators get certificates by Issue.
	ControllerManager, Scheduler, Node, Appliance Pair
}
