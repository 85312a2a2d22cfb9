package plant

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	keyKubeconfig = "kubeconfig"
	// timeout of one request to the cluster of a Plant.
	timeout = 10 * time.Second
)

// accessOf makes a client configuration from a Secret. Users write these Secrets, so it refuses kubeconfigs that would
// run programs on this machine or read its files.
func accessOf(secret *corev1.Secret) (*rest.Config, error) {
	raw := secret.Data[keyKubeconfig]
	if len(raw) == 0 {
		return nil, fmt.Errorf("secret %q has no key %s", secret.Name, keyKubeconfig)
	}
	kubeconfig, err := clientcmd.Load(raw)
	if err != nil {
		return nil, fmt.Errorf("secret %q has no valid kubeconfig: it cannot be parsed", secret.Name) // the error may quote secrets
	}
	if err := harmless(kubeconfig); err != nil {
		return nil, fmt.Errorf("kubeconfig of secret %q: %w", secret.Name, err)
	}
	config, err := clientcmd.NewDefaultClientConfig(*kubeconfig, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("kubeconfig of secret %q: %w", secret.Name, err)
	}
	config.Timeout = timeout
	return config, nil
}

func harmless(kubeconfig *clientcmdapi.Config) error {
	for name, user := range kubeconfig.AuthInfos {
		switch {
		case user.Exec != nil, user.AuthProvider != nil:
			return fmt.Errorf("user %q runs a program, which is not allowed", name)
		case user.TokenFile != "", user.ClientCertificate != "", user.ClientKey != "":
			return fmt.Errorf("user %q refers to files, which is not allowed", name)
		}
	}
	for name, cluster := range kubeconfig.Clusters {
		if cluster.CertificateAuthority != "" {
			return fmt.Errorf("cluster %q refers to a file, which is not allowed", name)
		}
	}
	if len(kubeconfig.Clusters) == 0 {
		return errors.New("it names no cluster")
	}
	return nil
}
