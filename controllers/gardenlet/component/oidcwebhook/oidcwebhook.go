// Package oidcwebhook builds the webhook that verifies tokens of the OpenIDConnects of a shoot. It runs in the control
// plane. It writes nothing to a cluster.
package oidcwebhook

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	// Name of the Deployment and its related objects.
	Name = "oidc-webhook-authenticator"
	// Resource is the name of the ManagedResource.
	Resource = "shoot-core-oidc-webhook-authenticator"
	// Port of the Service and of the pods.
	Port = 10443
	// User is the name of the webhook in the shoot.
	User = "system:oidc-webhook-authenticator"
	// Caller is the name by which the webhook knows kube-apiserver.
	Caller = "system:kube-apiserver:oidc-webhook-authenticator"

	path      = "/validate-token"
	dirServer = "/pki/server"
)

// Values are the inputs for the objects.
type Values struct {
	// Namespace of the shoot in the seed.
	Namespace string
	Image     string
	Replicas  int32
	Secrets   Secrets
	// AllowedIssuerHosts may have any address.
	AllowedIssuerHosts []string
	// RefusedRanges are ranges of the seed, which no issuer may have an address of.
	RefusedRanges []string
	// PrivateNetworks are the private networks that issuers may be in.
	PrivateNetworks []string
}

// Secrets are the names of Secrets in the seed.
type Secrets struct {
	Server string
	Access pod.Mount
}

// GenerateSecrets generates the secrets that only the webhook uses. The CAs must be generated before.
func GenerateSecrets(ctx context.Context, sm *secretsmanager.Manager) (Secrets, error) {
	server, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: Name, CommonName: Name, Usage: secretsmanager.Server, OmitCA: true, DNSNames: names.ServiceNames(Name, sm.Namespace),
	}, secretsmanager.SignedBy(constants.SecretNameCACluster))
	if err != nil {
		return Secrets{}, fmt.Errorf("generate secrets of %s: %w", Name, err)
	}
	mount, err := access.Client{Component: Name, User: User}.Mount(ctx, sm)
	if err != nil {
		return Secrets{}, fmt.Errorf("generate secrets of %s: %w", Name, err)
	}
	return Secrets{Server: server.Name, Access: mount}, nil
}

// CallerKubeconfig generates the kubeconfig with which kube-apiserver calls the webhook.
func CallerKubeconfig(ctx context.Context, sm *secretsmanager.Manager) ([]byte, error) {
	certificate, err := sm.Generate(ctx, secretsmanager.Certificate{
		Name: "kube-apiserver-" + Name, CommonName: Caller, Usage: secretsmanager.Client, OmitCA: true,
	}, secretsmanager.SignedBy(constants.SecretNameCAClient))
	if err != nil {
		return nil, fmt.Errorf("generate client certificate for %s: %w", Name, err)
	}
	ca := sm.Bundle(constants.SecretNameCACluster)
	if ca == nil {
		return nil, fmt.Errorf("CA %q has not been generated", constants.SecretNameCACluster)
	}
	server := access.Cluster{
		Name: Name, Server: fmt.Sprintf("https://%s.%s.svc:%d%s", Name, sm.Namespace, Port, path), CA: ca.Data[secretsmanager.KeyBundle],
	}
	return access.CertificateKubeconfigData(server, certificate.Data), nil
}

// Objects builds the Service and, last, the Deployment.
func Objects(v Values) ([]client.Object, *appsv1.Deployment) {
	labels := names.ControlPlane(Name)
	args := []string{
		"--bind-address=$(POD_IP)",
		fmt.Sprintf("--secure-port=%d", Port),
		"--kubeconfig=" + access.Kubeconfig(),
		"--tls-cert-file=" + pod.File(dirServer, secretsmanager.KeyCert),
		"--tls-private-key-file=" + pod.File(dirServer, secretsmanager.KeyPrivateKey),
	}
	if len(v.AllowedIssuerHosts) > 0 {
		args = append(args, "--allowed-issuer-hosts="+strings.Join(v.AllowedIssuerHosts, ","))
	}
	if len(v.PrivateNetworks) > 0 {
		args = append(args, "--private-networks="+strings.Join(v.PrivateNetworks, ","))
	}
	if len(v.RefusedRanges) > 0 {
		args = append(args, "--refused-ranges="+strings.Join(v.RefusedRanges, ","))
	}
	deployment := pod.Deployment(pod.Spec{
		Name: Name, Namespace: v.Namespace, Image: v.Image, Labels: labels, Component: Name, Args: args, Replicas: v.Replicas, Port: Port,
		Ready: pod.Ready("/readyz", Port), Live: pod.Live("/livez", Port),
		Mounts:        []pod.Mount{v.Secrets.Access, {Path: dirServer, Secrets: []string{v.Secrets.Server}}},
		PriorityClass: constants.PriorityClassNameShootControlPlane200,
		Reaches: []string{
			constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyToPublicNetworks, constants.LabelNetworkPolicyToPrivateNetworks,
			names.Reach(names.APIServer, names.APIServerPort),
		},
	})
	meta := metav1.ObjectMeta{Name: Name, Namespace: v.Namespace, Labels: labels}
	return []client.Object{pod.Service(meta, labels, "https", Port), deployment}, deployment
}
