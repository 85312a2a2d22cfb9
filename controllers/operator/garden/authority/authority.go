// Package authority keeps the certificate authority of the runtime cluster of a garden, in the namespace garden of that cluster, and
// the certificates of servers that it signs. It renews both by itself, and no rotation touches them.
package authority

import (
	"context"
	"net"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

const (
	name = constants.SecretNameCAGardenRuntime
	// life is the validity of the authority, as in Gardener, and of certificates. Both are renewed after 80 % of it.
	life = 30 * 24 * time.Hour
	// trust is how long the former authority is trusted, and signs, after there is a new one. All clients hear of the new one meanwhile.
	trust = 24 * time.Hour
)

// Authority of a runtime cluster. All fields are required.
type Authority struct {
	Runtime client.Client // of the runtime cluster
	Reader  client.Reader // of the runtime cluster, uncached
	Clock   clock.PassiveClock
	// Turn is shared by all that use the authority: two of them at once would renew it twice.
	Turn sync.Locker
}

// Deploy makes or renews the authority.
func (a Authority) Deploy(ctx context.Context) error {
	a.Turn.Lock()
	defer a.Turn.Unlock()
	secrets, err := a.manager(ctx, name)
	if err != nil {
		return err
	}
	return secrets.Cleanup(ctx)
}

// For implements webhook.Certificates.
func (a Authority) For(ctx context.Context, server string, hosts []string) (map[string][]byte, error) {
	a.Turn.Lock()
	defer a.Turn.Unlock()
	config := secretsmanager.Certificate{Name: server + "-webhooks", CommonName: server, Usage: secretsmanager.Server, Validity: life, OmitCA: true}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			config.IPs = append(config.IPs, ip)
		} else {
			config.DNSNames = append(config.DNSNames, host)
		}
	}
	secrets, err := a.manager(ctx, name, config.Name)
	if err != nil {
		return nil, err
	}
	signer := secretsmanager.SignedBy(name)
	if a.ended(secrets.Old(name)) { // the process did not run for a long time
		signer = secretsmanager.SignedByCurrent(name)
	}
	signed, err := secrets.Generate(ctx, config, signer)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		secretsmanager.KeyCert: signed.Data[secretsmanager.KeyCert], secretsmanager.KeyPrivateKey: signed.Data[secretsmanager.KeyPrivateKey],
		secretsmanager.KeyCACert: secrets.Bundle(name).Data[secretsmanager.KeyBundle],
	}, secrets.Cleanup(ctx)
}

// manager cares for the secrets with the given names, and has the authority.
func (a Authority) manager(ctx context.Context, names ...string) (*secretsmanager.Manager, error) {
	secrets, err := secretsmanager.New(ctx, secretsmanager.Settings{
		Reader: a.Reader, Writer: a.Runtime, Clock: a.Clock, Namespace: constants.GardenNamespace,
		Identity: constants.SecretManagerIdentityOperator, Names: names,
	})
	if err != nil {
		return nil, err
	}
	config := secretsmanager.Certificate{Name: name, CommonName: name, Usage: secretsmanager.CA, Validity: life}
	_, err = secrets.Generate(ctx, config, secretsmanager.RenewAuthority(), secretsmanager.Rotate(secretsmanager.KeepOld), secretsmanager.IgnoreOldIf(a.known))
	return secrets, err
}

// known reports whether all clients have heard of the authority.
func (a Authority) known(current *corev1.Secret) bool {
	seconds, err := strconv.ParseInt(current.Labels[secretsmanager.LabelIssuedAt], 10, 64)
	return err == nil && a.Clock.Since(time.Unix(seconds, 0)) > trust
}

// ended reports whether there is a former authority, and it is not valid any more.
func (a Authority) ended(former *corev1.Secret) bool {
	if former == nil {
		return false
	}
	cert, err := certificate.Parse(former.Data[secretsmanager.KeyCACert])
	return err != nil || a.Clock.Now().After(cert.NotAfter)
}
