package pki

import (
	"fmt"
	"os"

	clientauthentication "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Access describes how a user reaches a cluster.
type Access struct {
	// Name of the cluster, the user and the context.
	Name string
	// Server is the URL. ServerName is the name in the serving certificate if it differs from the URL's host.
	Server, ServerName string
	CA                 string
	User               Pair
}

// Config is for the appliance's own clients. It names the files of certificates, so clients pick up renewed ones.
func (a Access) Config() *rest.Config {
	return &rest.Config{
		Host:            a.Server,
		TLSClientConfig: rest.TLSClientConfig{CAFile: a.CA, CertFile: a.User.Cert, KeyFile: a.User.Key, ServerName: a.ServerName},
	}
}

// WriteKubeconfig writes a kubeconfig for the appliance's own servers. It names files as Config does.
func (a Access) WriteKubeconfig(file string) error {
	return a.write(file, &clientcmdapi.Cluster{CertificateAuthority: a.CA},
		&clientcmdapi.AuthInfo{ClientCertificate: a.User.Cert, ClientKey: a.User.Key})
}

// WriteForOperators writes a kubeconfig whose clients run the command to get credentials. The file holds none.
func (a Access) WriteForOperators(file, command string, args ...string) error {
	ca, err := os.ReadFile(a.CA)
	if err != nil {
		return fmt.Errorf("write kubeconfig %s: %w", file, err)
	}
	return a.write(file, &clientcmdapi.Cluster{CertificateAuthorityData: ca}, &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
		APIVersion: clientauthentication.SchemeGroupVersion.String(), InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
		Command: command, Args: args,
	}})
}

// WritePortable writes a kubeconfig that contains the certificates and the key. Processes of the landscape that read no files use it.
func (a Access) WritePortable(file string) error {
	var contents [3][]byte
	for i, name := range []string{a.CA, a.User.Cert, a.User.Key} {
		data, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("write kubeconfig %s: %w", file, err)
		}
		contents[i] = data
	}
	return a.write(file, &clientcmdapi.Cluster{CertificateAuthorityData: contents[0]},
		&clientcmdapi.AuthInfo{ClientCertificateData: contents[1], ClientKeyData: contents[2]})
}

func (a Access) write(file string, cluster *clientcmdapi.Cluster, user *clientcmdapi.AuthInfo) error {
	cluster.Server, cluster.TLSServerName = a.Server, a.ServerName
	config := clientcmdapi.NewConfig()
	config.Clusters[a.Name], config.AuthInfos[a.Name] = cluster, user
	config.Contexts[a.Name] = &clientcmdapi.Context{Cluster: a.Name, AuthInfo: a.Name}
	config.CurrentContext = a.Name
	text, err := clientcmd.Write(*config)
	if err != nil {
		return fmt.Errorf("encode kubeconfig %s: %w", file, err)
	}
	return WriteFile(file, text)
}
