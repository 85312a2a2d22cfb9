package bootstrap

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/embedded/apihelper/tenantkubeconfig"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Garden is the address of the garden, and how clients verify it.
type Garden struct {
	Server, ServerName string // URL, and the name in the serving certificate if it differs from the URL's host
	CA                 []byte // certificates in PEM format
	// Latest reads the CA again, for a garden whose authorities rotate; nil: they stay as they are.
	Latest func() ([]byte, error)
}

// Now is the garden with the CA that it has now.
func (g Garden) Now() (Garden, error) {
	if g.Latest == nil {
		return g, nil
	}
	ca, err := g.Latest()
	if err != nil {
		return g, fmt.Errorf("read the authorities of the garden: %w", err)
	}
	g.CA = ca
	return g, nil
}

// GardenService is where pods of a seed find the garden: behind a Service of the seed.
type GardenService struct {
	Garden
	Service types.NamespacedName
}

// credential is a client certificate for the garden.
type credential struct {
	garden    Garden
	cert, key []byte // PEM
	leaf      *x509.Certificate
	pair      tls.Certificate
}

func newCredential(garden Garden, cert, key []byte) (*credential, error) {
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("read client certificate: %w", err)
	}
	return &credential{garden: garden, cert: cert, key: key, leaf: pair.Leaf, pair: pair}, nil
}

// parse reads a kubeconfig with a client certificate of the seed.
func parse(kubeconfig []byte, seed string) (*credential, error) {
	access, err := tenantkubeconfig.Access(kubeconfig)
	if err != nil {
		return nil, err
	}
	if len(access.CertData) == 0 {
		return nil, errors.New("it has no client certificate")
	}
	c, err := newCredential(gardenOf(access), access.CertData, access.KeyData)
	if err != nil {
		return nil, err
	}
	if subject := c.leaf.Subject; subject.CommonName != userOf(seed) || !slices.Equal(subject.Organization, []string{constants.SeedsGroup}) {
		return nil, fmt.Errorf("its client certificate is for %q, not for %q", subject.CommonName, userOf(seed))
	}
	return c, nil
}

func gardenOf(access *rest.Config) Garden {
	return Garden{Server: access.Host, ServerName: access.ServerName, CA: access.CAData}
}

func userOf(seed string) string { return constants.SeedUserNamePrefix + seed }

// at returns the same certificate for a garden that moved; nil means that it did not.
func (c *credential) at(garden *Garden) *credential {
	if garden == nil {
		return c
	}
	moved := *c
	moved.garden = *garden
	return &moved
}

func (c *credential) kubeconfig() ([]byte, error) {
	return c.garden.kubeconfig(&clientcmdapi.AuthInfo{ClientCertificateData: c.cert, ClientKeyData: c.key})
}

// Expires is when the client certificate in a kubeconfig of the gardenlet of a seed ends.
func Expires(kubeconfig []byte, seed string) (time.Time, error) {
	c, err := parse(kubeconfig, seed)
	if err != nil {
		return time.Time{}, err
	}
	return c.leaf.NotAfter, nil
}

// TokenKubeconfig is a kubeconfig with a token.
func (g Garden) TokenKubeconfig(token string) ([]byte, error) {
	return g.kubeconfig(&clientcmdapi.AuthInfo{Token: token})
}

func (g Garden) kubeconfig(user *clientcmdapi.AuthInfo) ([]byte, error) {
	const garden, gardenlet = "garden", "gardenlet"
	config := clientcmdapi.NewConfig()
	config.Clusters[garden] = &clientcmdapi.Cluster{Server: g.Server, TLSServerName: g.ServerName, CertificateAuthorityData: g.CA}
	config.AuthInfos[gardenlet] = user
	config.Contexts[garden] = &clientcmdapi.Context{Cluster: garden, AuthInfo: gardenlet}
	config.CurrentContext = garden
	return clientcmd.Write(*config)
}

// config is for clients that live shortly; those of the gardenlet follow renewals.
func (c *credential) config() *rest.Config {
	return &rest.Config{Host: c.garden.Server, TLSClientConfig: rest.TLSClientConfig{
		ServerName: c.garden.ServerName, CAData: c.garden.CA, CertData: c.cert, KeyData: c.key,
	}}
}

// backdate is how far in the past the certificates of kube-controller-manager begin, whatever their validity.
const backdate = 5 * time.Minute

// after is when a share of the certificate's life is over.
func (c *credential) after(share float64) time.Time {
	begin := c.leaf.NotBefore
	if issued := begin.Add(backdate); issued.Before(c.leaf.NotAfter) {
		begin = issued
	}
	return begin.Add(time.Duration(share * float64(c.leaf.NotAfter.Sub(begin))))
}

// shares are the part of a certificate's life after which it is renewed, at the earliest and at the latest.
func shares(validity *config.KubeconfigValidity) (from, to float64) {
	from, to = 0.7, 0.9
	if validity != nil && validity.AutoRotationJitterPercentageMin != nil && validity.AutoRotationJitterPercentageMax != nil {
		from, to = float64(*validity.AutoRotationJitterPercentageMin)/100, float64(*validity.AutoRotationJitterPercentageMax)/100
	}
	return from, to
}
