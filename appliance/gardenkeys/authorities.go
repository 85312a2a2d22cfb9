package gardenkeys

import (
	"context"
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

// Authorities are those that sign client certificates for the API servers of the garden, and the certificates of proxies before
// other API servers.
type Authorities struct {
	Files Files
	// Garden is for an administrator of the garden.
	Garden *rest.Config
	// Client is the file of a client certificate that this process uses.
	Client string
}

var _ host.Authorities = Authorities{}

// Renew implements host.Authorities. The servers of this process trust the new authorities before anything is signed by them.
func (a Authorities) Renew(ctx context.Context, began time.Time) error {
	name := pki.RotationName(began)
	for _, change := range []func(pki.Rotation, string) error{pki.Rotation.TrustNextAuthorities, pki.Rotation.UseNextAuthorities} {
		if err := a.Files.change(func(files pki.Rotation) error { return change(files, name) }); err != nil {
			return err
		}
		if err := polled.Now(ctx); err != nil {
			return err
		}
	}
	if err := a.followed(ctx); err != nil {
		return err
	}
	text, err := a.Files.Keys.ClientIssuer()
	if err != nil {
		return fmt.Errorf("read the authority of clients: %w", err)
	}
	issuer, err := certificate.Parse(text)
	if err != nil {
		return fmt.Errorf("read the authority of clients: %w", err)
	}
	client, err := certificatesclient.NewForConfig(a.Garden)
	if err != nil {
		return fmt.Errorf("make client for certificate requests: %w", err)
	}
	return signsFor(ctx, client.CertificateSigningRequests(), issuer)
}

// DropFormer implements host.Authorities.
func (a Authorities) DropFormer(ctx context.Context) error {
	if err := a.followed(ctx); err != nil {
		return err
	}
	if err := a.Files.change(pki.Rotation.DropFormerAuthorities); err != nil {
		return err
	}
	return polled.Now(ctx)
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
