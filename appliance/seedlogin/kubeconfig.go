package seedlogin

import (
	"bytes"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// way is how users of this machine reach a seed.
type way struct {
	server, serverName string
	ca                 []byte
}

func wayOf(config *rest.Config) (way, error) {
	config = rest.CopyConfig(config)
	if err := rest.LoadTLSFiles(config); err != nil {
		return way{}, fmt.Errorf("read the certificates of a seed: %w", err)
	}
	return way{server: config.Host, serverName: config.ServerName, ca: config.CAData}, nil
}

// kubeconfig names no files and no programs.
func (w way) kubeconfig(seed string, credential daemon.Credential) ([]byte, error) {
	config := clientcmdapi.NewConfig()
	config.Clusters[seed] = &clientcmdapi.Cluster{Server: w.server, TLSServerName: w.serverName, CertificateAuthorityData: w.ca}
	config.AuthInfos[seed] = &clientcmdapi.AuthInfo{ClientCertificateData: credential.Cert, ClientKeyData: credential.Key}
	config.Contexts[seed] = &clientcmdapi.Context{Cluster: seed, AuthInfo: seed}
	config.CurrentContext = seed
	text, err := clientcmd.Write(*config)
	if err != nil {
		return nil, fmt.Errorf("write kubeconfig of seed %q: %w", seed, err)
	}
	return text, nil
}

// remaining is how long a kubeconfig is valid. It is 0 if the kubeconfig does not lead to the seed, or if a changed clock makes
// its certificate one of the future.
func (w way) remaining(kubeconfig []byte, now time.Time) time.Duration {
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil || config.Host != w.server || config.ServerName != w.serverName || !bytes.Equal(config.CAData, w.ca) {
		return 0
	}
	cert, err := certificate.Parse(config.CertData)
	if err != nil || now.Before(cert.NotBefore) {
		return 0
	}
	return cert.NotAfter.Sub(now)
}
