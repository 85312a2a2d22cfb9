// Package tenantkubeconfig reads kubeconfigs that users provide. A kubeconfig can run programs, read files and choose proxies
// wherever it is used. This package refuses all of that. The kubeconfigs that it returns hold inline data only. They are built field
// by field, so they contain no field that this package does not know.
//
// Errors name users and clusters of the kubeconfig, and never quote other content, which may be secret.
package tenantkubeconfig

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// ErrUnreadable is returned for text that is no kubeconfig. The reason is left out, since it could quote secrets.
var ErrUnreadable = errors.New("it cannot be parsed as a kubeconfig")

// Check returns an error if the kubeconfig is not self-contained.
func Check(text []byte) error {
	_, err := Parse(text)
	return err
}

// Rewrite returns the kubeconfig with the fields that Parse keeps.
func Rewrite(text []byte) ([]byte, error) {
	parsed, err := Parse(text)
	if err != nil {
		return nil, err
	}
	out, err := clientcmd.Write(*parsed)
	if err != nil {
		return nil, ErrUnreadable
	}
	return out, nil
}

// Parse returns the clusters, users and contexts of a kubeconfig that is self-contained, and an error otherwise. It may
// have no cluster, because admission plugins use only its users.
func Parse(text []byte) (*clientcmdapi.Config, error) {
	parsed, err := clientcmd.Load(text)
	if err != nil {
		return nil, ErrUnreadable
	}
	out := clientcmdapi.NewConfig()
	out.CurrentContext = parsed.CurrentContext
	for _, name := range slices.Sorted(maps.Keys(parsed.AuthInfos)) {
		if out.AuthInfos[name], err = user(name, parsed.AuthInfos[name]); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(parsed.Clusters)) {
		if out.Clusters[name], err = cluster(name, parsed.Clusters[name]); err != nil {
			return nil, err
		}
	}
	for name, context := range parsed.Contexts {
		out.Contexts[name] = &clientcmdapi.Context{Cluster: context.Cluster, AuthInfo: context.AuthInfo, Namespace: context.Namespace}
	}
	return out, nil
}

func user(name string, in *clientcmdapi.AuthInfo) (*clientcmdapi.AuthInfo, error) {
	switch {
	case in.Exec != nil, in.AuthProvider != nil:
		return nil, fmt.Errorf("user %q runs a program, which is not allowed: use a token or a certificate", name)
	case in.TokenFile != "", in.ClientCertificate != "", in.ClientKey != "":
		return nil, fmt.Errorf("user %q refers to a file, which is not allowed: embed its content", name)
	case in.Impersonate != "", in.ImpersonateUID != "", len(in.ImpersonateGroups) > 0, len(in.ImpersonateUserExtra) > 0:
		return nil, fmt.Errorf("user %q impersonates another user, which is not allowed: use credentials of that user", name)
	}
	return &clientcmdapi.AuthInfo{
		ClientCertificateData: in.ClientCertificateData, ClientKeyData: in.ClientKeyData,
		Token: in.Token, Username: in.Username, Password: in.Password,
	}, nil
}

func cluster(name string, in *clientcmdapi.Cluster) (*clientcmdapi.Cluster, error) {
	switch {
	case in.CertificateAuthority != "":
		return nil, fmt.Errorf("cluster %q refers to a file, which is not allowed: embed its content as certificate-authority-data", name)
	case in.ProxyURL != "":
		return nil, fmt.Errorf("cluster %q uses a proxy, which is not allowed: remove proxy-url", name)
	case !isServer(in.Server):
		return nil, fmt.Errorf("the server of cluster %q is not a URL with https or http, a host, and neither user nor query", name)
	}
	return &clientcmdapi.Cluster{
		Server: in.Server, TLSServerName: in.TLSServerName, DisableCompression: in.DisableCompression,
		CertificateAuthorityData: in.CertificateAuthorityData, InsecureSkipTLSVerify: in.InsecureSkipTLSVerify,
	}, nil
}

// isServer accepts no server at all, which clients of the cluster refuse themselves.
func isServer(text string) bool {
	if text == "" {
		return true
	}
	server, err := url.Parse(text)
	return err == nil && (server.Scheme == "https" || server.Scheme == "http") && server.Hostname() != "" &&
		server.User == nil && server.RawQuery == "" && server.Fragment == ""
}
