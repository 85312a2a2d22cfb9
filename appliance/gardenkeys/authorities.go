package gardenkeys

import (
	"context"
	"crypto/x509"
	"fmt"
	"os"
	"time"

	certificatesclient "k8s.io/client-go/kubernetes/typed/certificates/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/embedded/certificate"
	"github.com/gardener-up/gardener-up/embedded/polled"
)

// Authorities are those that sign certificates of clients and of servers of the garden, and the certificates of proxies before other
// API servers.
type Authorities struct {
	Files Files
	// Garden is for an administrator of the garden.
	Garden *rest.Config
	// Client is the file of a client certificate that this process uses.
	Client string
	// Servers are the names in serving certificates, by the addresses of the servers.
	Servers map[string]string
	// Publish tells all who verify servers of the garden which authorities are trusted now.
	Publish func(context.Context) error
}

var _ host.Authorities = Authorities{}

// Renew implements host.Authorities. The servers of this process trust the new authorities before anything is signed by them.
func (a Authorities) Renew(ctx context.Context, began time.Time) error {
	name := pki.RotationName(began)
	for _, change := range []func(pki.Rotation) error{trustNext(name), useNextForClients(name)} {
		if err := a.change(ctx, change); err != nil {
			return err
		}
	}
	if err := a.followed(ctx); err != nil {
		return err
	}
	if err := a.Publish(ctx); err != nil {
		return err
	}
	issuer, err := parsed(a.Files.Keys.ClientIssuer())
	if err != nil {
		return err
	}
	client, err := certificatesclient.NewForConfig(a.Garden)
	if err != nil {
		return fmt.Errorf("make client for certificate requests: %w", err)
	}
	return signsFor(ctx, client.CertificateSigningRequests(), issuer)
}

// DropFormer implements host.Authorities. Whoever verifies servers trusts the former and the new authority until all servers have
// certificates of the new one.
func (a Authorities) DropFormer(ctx context.Context, began time.Time) error {
	if err := a.followed(ctx); err != nil {
		return err
	}
	if err := a.change(ctx, useNextForServers(pki.RotationName(began))); err != nil {
		return err
	}
	issuer, err := parsed(a.Files.Keys.ServerIssuer())
	if err != nil {
		return err
	}
	for address, name := range a.Servers {
		if err := servedBy(ctx, address, name, issuer); err != nil {
			return err
		}
	}
	if err := a.change(ctx, pki.Rotation.DropFormerAuthorities); err != nil {
		return err
	}
	return a.Publish(ctx)
}

func trustNext(name string) func(pki.Rotation) error {
	return func(files pki.Rotation) error { return files.TrustNextAuthorities(name) }
}

func useNextForClients(name string) func(pki.Rotation) error {
	return func(files pki.Rotation) error { return files.UseNextClientAuthorities(name) }
}

func useNextForServers(name string) func(pki.Rotation) error {
	return func(files pki.Rotation) error { return files.UseNextServerAuthority(name) }
}

// change changes files, which all in this process read then.
func (a Authorities) change(ctx context.Context, change func(pki.Rotation) error) error {
	if err := a.Files.change(change); err != nil {
		return err
	}
	return polled.Now(ctx)
}

func parsed(text []byte, err error) (*x509.Certificate, error) {
	if err != nil {
		return nil, fmt.Errorf("read an authority of the garden: %w", err)
	}
	cert, err := certificate.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read an authority of the garden: %w", err)
	}
	return cert, nil
}

// followed waits until all clients of this process have read their certificates after these have changed. They look at the files now
// and then, and connect anew.
func (a Authorities) followed(ctx context.Context) error {
	info, err := os.Stat(a.Client)
	if err != nil {
		return fmt.Errorf("read a certificate of the landscape: %w", err)
	}
	margin := transport.CertCallbackRefreshDuration + transport.CertCallbackRefreshDuration/2
	select {
	case <-time.After(time.Until(info.ModTime().Add(margin))):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("clients of the landscape take their new certificates: %w", ctx.Err())
	}
}
