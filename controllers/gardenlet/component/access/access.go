// Package access builds kubeconfigs for the kube-apiserver of a shoot: for the components of the control plane, for
// extensions, for the gardenlet and for users.
//
// Components of the control plane use client certificates rather than tokens. Certificates exist before anything runs,
// so components need not wait for the resource manager.
package access

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdv1 "k8s.io/client-go/tools/clientcmd/api/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Directory is the directory in which components find their kubeconfig.
const Directory = "/etc/kubernetes/access"

// Kubeconfig returns the path of the kubeconfig for the flags of a component.
func Kubeconfig() string { return pod.File(Directory, secretsmanager.KeyKubeconfig) }

// CertificateKubeconfig builds a kubeconfig that refers to files in its own directory: a CA bundle and a client
// certificate.
func CertificateKubeconfig(namespace string) *corev1.Secret {
	return CertificateKubeconfigFor(names.APIServerURL(namespace), namespace)
}

// CertificateKubeconfigFor is CertificateKubeconfig for the API server with the URL.
func CertificateKubeconfigFor(server, namespace string) *corev1.Secret {
	kubeconfig := document(Cluster{Server: server}, clientcmdv1.AuthInfo{
		ClientCertificate: secretsmanager.KeyCert, ClientKey: secretsmanager.KeyPrivateKey,
	})
	kubeconfig.Clusters[0].Cluster.CertificateAuthority = secretsmanager.KeyBundle
	return pod.Secret("generic-certificate-kubeconfig", namespace, map[string][]byte{secretsmanager.KeyKubeconfig: encode(kubeconfig)})
}

// TokenKubeconfig builds the kubeconfig that extensions mount next to a Secret with a token. Its name is written into
// an annotation of the Cluster object.
func TokenKubeconfig(namespace string, ca []byte) *corev1.Secret {
	kubeconfig := document(Cluster{Server: names.APIServerURL(namespace), CA: ca}, clientcmdv1.AuthInfo{
		TokenFile: "/var/run/secrets/gardener.cloud/shoot/generic-kubeconfig/token",
	})
	secret := pod.Secret("generic-token-kubeconfig", namespace, map[string][]byte{secretsmanager.KeyKubeconfig: encode(kubeconfig)})
	secret.Labels = nil // extensions read the name from the Cluster object, where the garbage collector does not see it
	return secret
}

// Client is the identity of a control plane component in the shoot.
type Client struct {
	// Component names the Secret with the certificate: "<component>-client".
	Component string
	// User and Groups are the subjects to which the shoot grants permissions.
	User   string
	Groups []string
	// Server is the URL of the API server; empty if it is that of the shoot with the namespace.
	Server string
}

// Mount generates the client certificate and returns the directory with the kubeconfig. The CAs must be generated before.
func (c Client) Mount(ctx context.Context, sm *secretsmanager.Manager) (pod.Mount, error) {
	certificate, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: c.Component + "-client", CommonName: c.User, Organization: c.Groups, Usage: secretsmanager.Client, OmitCA: true,
	}, secretsmanager.SignedBy(constants.SecretNameCAClient))
	if err != nil {
		return pod.Mount{}, fmt.Errorf("generate client certificate of %s: %w", c.Component, err)
	}
	ca := sm.Bundle(constants.SecretNameCACluster)
	if ca == nil {
		return pod.Mount{}, fmt.Errorf("CA %q has not been generated", constants.SecretNameCACluster)
	}
	kubeconfig := CertificateKubeconfigFor(cmp.Or(c.Server, names.APIServerURL(sm.Namespace)), sm.Namespace)
	return pod.Mount{Path: Directory, Secrets: []string{kubeconfig.Name, certificate.Name, ca.Name}}, nil
}

// ShootAccess builds the Secret that the resource manager of the shoot fills with a token of a service account.
func ShootAccess(component, namespace string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "shoot-access-" + component, Namespace: namespace,
			Labels: map[string]string{
				resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest,
				resourcesv1alpha1.ResourceManagerClass:   resourcesv1alpha1.ResourceManagerClassShoot,
			},
			Annotations: map[string]string{
				resourcesv1alpha1.ServiceAccountName:      component,
				resourcesv1alpha1.ServiceAccountNamespace: metav1.NamespaceSystem,
			},
		},
		Type: corev1.SecretTypeOpaque,
	}
}

// Cluster describes the API server in a kubeconfig.
type Cluster struct {
	// Name defaults to shoot.
	Name   string
	Server string
	CA     []byte
}

// CertificateKubeconfigData builds a kubeconfig that contains a client certificate.
func CertificateKubeconfigData(cluster Cluster, certificate map[string][]byte) []byte {
	return encode(document(cluster, clientcmdv1.AuthInfo{
		ClientCertificateData: certificate[secretsmanager.KeyCert], ClientKeyData: certificate[secretsmanager.KeyPrivateKey],
	}))
}

// TokenKubeconfigData builds a kubeconfig that contains a token.
func TokenKubeconfigData(cluster Cluster, token string) []byte {
	return encode(document(cluster, clientcmdv1.AuthInfo{Token: token}))
}

func document(cluster Cluster, user clientcmdv1.AuthInfo) clientcmdv1.Config {
	name := cluster.Name
	if name == "" {
		name = "shoot"
	}
	return clientcmdv1.Config{
		APIVersion:     "v1",
		Kind:           "Config",
		CurrentContext: name,
		Clusters:       []clientcmdv1.NamedCluster{{Name: name, Cluster: clientcmdv1.Cluster{Server: cluster.Server, CertificateAuthorityData: cluster.CA}}},
		Contexts:       []clientcmdv1.NamedContext{{Name: name, Context: clientcmdv1.Context{Cluster: name, AuthInfo: name}}},
		AuthInfos:      []clientcmdv1.NamedAuthInfo{{Name: name, AuthInfo: user}},
	}
}

// encode writes JSON, which every reader of kubeconfigs accepts.
func encode(kubeconfig clientcmdv1.Config) []byte {
	raw, err := json.Marshal(kubeconfig)
	if err != nil {
		panic(fmt.Sprintf("kubeconfig cannot be encoded: %v", err)) // it consists of strings and bytes
	}
	return raw
}
