package access

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/gardener-up/gardener-up/controllers/operator/host"
)

// entry is the name of the cluster, user and context in kubeconfigs.
const entry = "virtual-garden"

// tokenFile is where pods that mount the generic kubeconfig find their token.
const tokenFile = "/var/run/secrets/gardener.cloud/shoot/generic-kubeconfig/token"

func kubeconfigFor(garden host.Access, user clientcmdapi.AuthInfo) (*clientcmdapi.Config, error) {
	ca, err := garden.CA()
	if err != nil {
		return nil, fmt.Errorf("read the authorities of the virtual garden: %w", err)
	}
	out := clientcmdapi.NewConfig()
	cluster := clientcmdapi.NewCluster()
	cluster.Server, cluster.TLSServerName, cluster.CertificateAuthorityData = garden.Server, garden.ServerName, ca
	context := clientcmdapi.NewContext()
	context.Cluster, context.AuthInfo = entry, entry
	out.Clusters[entry], out.AuthInfos[entry], out.Contexts[entry], out.CurrentContext = cluster, &user, context, entry
	return out, nil
}

// encode takes what kubeconfigFor returns.
func encode(config *clientcmdapi.Config, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	raw, err := clientcmd.Write(*config)
	if err != nil {
		return nil, fmt.Errorf("encode kubeconfig of the virtual garden: %w", err)
	}
	return raw, nil
}

// tokenIn returns the token of the only user of a kubeconfig of this package; empty if it has none or the kubeconfig is damaged.
func tokenIn(kubeconfig []byte) string {
	config, err := clientcmd.Load(kubeconfig)
	if err != nil || config.AuthInfos[entry] == nil {
		return ""
	}
	return config.AuthInfos[entry].Token
}

// same reports whether the kubeconfig says the same as the wanted one. The resource manager writes it in another form.
func same(kubeconfig, wanted []byte) bool {
	one, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return false
	}
	other, err := clientcmd.Load(wanted)
	return err == nil && equality.Semantic.DeepEqual(one, other)
}
