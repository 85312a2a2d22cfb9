package deployed

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubecontrollermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// prefix begins the names of components of the virtual garden that the runtime cluster may have, too.
const prefix = "virtual-garden-"

// Names of the components of the virtual garden.
const (
	etcdMain          = prefix + "etcd-" + etcd.Main
	etcdEvents        = prefix + "etcd-" + etcd.Events
	apiServer         = prefix + names.APIServer
	controllerManager = prefix + kubecontrollermanager.Name
	resourceManager   = prefix + resourcemanager.Name
)

// APIServer is the name of the Service of the virtual garden's API server.
const APIServer = apiServer

// Names of Gardener's own components.
const (
	gardenerAPIServer         = "gardener-apiserver"
	gardenerAPI               = "gardener-apiserver-registration"
	gardenerAdmission         = "gardener-admission-controller"
	gardenerControllerManager = "gardener-controller-manager"
	gardenerScheduler         = "gardener-scheduler"
)

// ManagedResources of the virtual garden.
const (
	resourceGardenerAPI = "gardener-apiserver"
	resourceSystem      = "garden-system-virtual"
)

// Configurations of secrets beside those that constants name.
const (
	secretCAGardener    = "ca-gardener"
	secretEncryptionKey = "gardener-apiserver-etcd-encryption-key"
	secretAuthorizer    = "seed-authorizer-client"
	secretOperator      = "gardener-client"
)

// secretNames are all configurations of secrets of this host. The operator has others with the same identity, such as the authority of the
// runtime cluster, which this host must not clean up.
var secretNames = append(prometheus.GardenSecretNames(),
	constants.SecretNameCACluster, constants.SecretNameCAClient, constants.SecretNameCAETCD, constants.SecretNameCAETCDPeer,
	constants.SecretNameCAFrontProxy, constants.SecretNameCAKubelet, secretCAGardener,
	constants.SecretNameServiceAccountKey, constants.SecretNameETCDEncryptionKey, secretEncryptionKey, constants.SecretNameKubeAPIServerStaticToken,
	constants.SecretNameKubeAPIServer, constants.SecretNameETCDClient, constants.SecretNameKubeAPIServerToKubelet, constants.SecretNameKubeAggregator,
	"etcd-server-"+etcd.Main, "etcd-peer-server-"+etcd.Main,
	"etcd-server-"+etcd.Events, "etcd-peer-server-"+etcd.Events,
	"kube-controller-manager-server", "kube-controller-manager-client", "gardener-resource-manager-client", secretOperator, secretAuthorizer,
	gardenerAPIServer, gardenerAPIServer+"-client", gardenerAdmission, gardenerAdmission+"-client",
	gardenerControllerManager+"-client", gardenerScheduler+"-client",
)
