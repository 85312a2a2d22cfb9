package seedhost

import (
	"errors"
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// kubeconfigKey is the key of the kubeconfig in the data of the Secret.
const kubeconfigKey = "kubeconfig"

// parse accepts only a self-contained kubeconfig: users who may write Secrets of the garden must neither run commands
// nor read files here.
func parse(text []byte) (*rest.Config, error) {
	if len(text) == 0 {
		return nil, fmt.Errorf("it has no data.%s", kubeconfigKey)
	}
	parsed, err := clientcmd.Load(text)
	if err != nil {
		return nil, errors.New("its kubeconfig cannot be read") // the reason could quote secret content
	}
	for name, cluster := range parsed.Clusters {
		if cluster.CertificateAuthority != "" {
			return nil, fmt.Errorf("its kubeconfig refers to a file (cluster %q): embed it as data", name)
		}
	}
	for name, user := range parsed.AuthInfos {
		switch {
		case user.Exec != nil || user.AuthProvider != nil:
			return nil, fmt.Errorf("its kubeconfig calls a program (user %q): use a token or a certificate", name)
		case user.ClientCertificate != "" || user.ClientKey != "" || user.TokenFile != "":
			return nil, fmt.Errorf("its kubeconfig refers to a file (user %q): embed it as data", name)
		}
	}
	access, err := clientcmd.NewDefaultClientConfig(*parsed, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("its kubeconfig is not complete: %w", err)
	}
	return access, nil
}
