// Package bootstrap gives a gardenlet its access to the garden: a client certificate for its seed. The gardenlet requests the first
// certificate with a bootstrap token, and each later one with the certificate before. The certificate is kept in a Secret of the
// seed. Clients use a renewed certificate without a restart.
package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/embedded/apihelper/tenantkubeconfig"
)

// answerTimeout bounds a renewal, which nobody has to approve by hand unless rules were changed.
const answerTimeout = 20 * time.Minute

// Inputs say where the access of a gardenlet is kept. All fields are required unless said otherwise.
type Inputs struct {
	Name       string        // of the Seed
	Seed       client.Client // uncached; knows Secrets and Namespaces
	Connection config.GardenClientConnection
	Clock      clock.Clock
	// Garden replaces server and CA of the kubeconfigs. If it is nil, the values in the kubeconfigs are used.
	Garden *Garden
	// Invite writes the bootstrap kubeconfig into its Secret when the gardenlet needs it. If it is nil, an operator has to write the
	// Secret.
	Invite func(context.Context) error
}

// Access is the access of a gardenlet to the garden.
type Access struct {
	in        Inputs
	secrets   secrets
	requester requester
	transport transport

	renewing sync.Mutex // serialises renewals

	mu      sync.Mutex
	current *credential
	due     time.Time
	changed chan struct{} // closed with the next certificate
}

// Connect returns the configuration of the gardenlet's clients, and the access that renews its certificate. If the gardenlet has a
// ready kubeconfig, Connect requests nothing and the access is nil: the gardenlet does not renew that kubeconfig.
func Connect(ctx context.Context, in Inputs) (*rest.Config, *Access, error) {
	if file := in.Connection.Kubeconfig; file != "" {
		ready, err := clientcmd.BuildConfigFromFlags("", file)
		if err != nil {
			return nil, nil, fmt.Errorf("gardenClientConnection.kubeconfig: %w", err)
		}
		return ready, nil, nil
	}
	access, err := Open(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	return access.Config(), access, nil
}

// Open returns an access that the garden accepts. If there is no certificate, Open requests one and waits until the request is
// approved.
func Open(ctx context.Context, in Inputs) (*Access, error) {
	if in.Connection.KubeconfigSecret == nil {
		return nil, errors.New("gardenClientConnection of the gardenlet needs kubeconfigSecret, or kubeconfig")
	}
	a := &Access{
		in: in, requester: requester{seed: in.Name, clock: in.Clock}, changed: make(chan struct{}),
		secrets: secrets{seed: in.Seed, kubeconfig: in.Connection.KubeconfigSecret, initial: in.Connection.BootstrapKubeconfig},
	}
	if validity := in.Connection.KubeconfigValidity; validity != nil && validity.Validity != nil {
		a.requester.validity = validity.Validity.Duration
	}
	kubeconfig, renew, err := a.secrets.load(ctx)
	if err != nil {
		return nil, err
	}
	known := a.usable(ctx, kubeconfig)
	if known == nil {
		renew = false
		if known, err = a.bootstrap(ctx); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(a.use(known), a.secrets.dropInitial(ctx)); err != nil {
		return nil, err
	}
	if renew {
		return a, a.Renew(ctx)
	}
	return a, nil
}

// usable returns the stored certificate if it is valid and the garden does not refuse it.
func (a *Access) usable(ctx context.Context, kubeconfig []byte) *credential {
	if kubeconfig == nil {
		return nil
	}
	logger := log.FromContext(ctx)
	stored, err := parse(kubeconfig, a.in.Name)
	if err != nil {
		logger.Info("Stored kubeconfig of the gardenlet cannot be used", "reason", err.Error())
		return nil
	}
	stored = stored.at(a.in.Garden)
	if now := a.in.Clock.Now(); !now.Before(stored.leaf.NotAfter) {
		logger.Info("Client certificate of the gardenlet has expired", "expired", stored.leaf.NotAfter)
		return nil
	}
	if err := asks(ctx, stored.config()); apierrors.IsUnauthorized(err) {
		logger.Info("The garden does not know the client certificate of the gardenlet")
		return nil
	}
	return stored // also while the garden is out of reach
}

// asks sends one request that every user may send.
func asks(ctx context.Context, access *rest.Config) error {
	c, err := kubernetes.NewForConfig(access)
	if err != nil {
		return err
	}
	_, err = c.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	return err
}

// bootstrap gets the first certificate.
func (a *Access) bootstrap(ctx context.Context) (*credential, error) {
	if a.in.Invite != nil {
		if err := a.in.Invite(ctx); err != nil {
			return nil, fmt.Errorf("write bootstrap kubeconfig: %w", err)
		}
	}
	kubeconfig, err := a.secrets.loadInitial(ctx)
	if err != nil {
		return nil, err
	}
	return a.bootstrapWith(ctx, kubeconfig)
}

// bootstrapWith gets a certificate with a token.
func (a *Access) bootstrapWith(ctx context.Context, kubeconfig []byte) (*credential, error) {
	initial, err := tenantkubeconfig.Access(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("bootstrap kubeconfig: %w", err)
	}
	if garden := a.in.Garden; garden != nil {
		initial.Host, initial.ServerName, initial.CAData = garden.Server, garden.ServerName, garden.CA
	}
	return a.request(ctx, initial, gardenOf(initial))
}

// request gets a certificate and stores it.
func (a *Access) request(ctx context.Context, access *rest.Config, garden Garden) (*credential, error) {
	cert, key, err := a.requester.certificate(ctx, access)
	if err != nil {
		return nil, err
	}
	if ca := a.in.Connection.GardenClusterCACert; len(ca) > 0 && a.in.Garden == nil {
		garden.CA = ca
	} else if a.in.Garden == nil {
		garden.CA = authorities(ctx, garden, cert, key)
	}
	made, err := newCredential(garden, cert, key)
	if err != nil {
		return nil, err
	}
	text, err := made.kubeconfig()
	if err != nil {
		return nil, err
	}
	return made, a.secrets.save(ctx, text)
}

// use makes a certificate the current one.
func (a *Access) use(c *credential) error {
	if err := a.transport.use(c); err != nil {
		return err
	}
	from, to := shares(a.in.Connection.KubeconfigValidity)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.current, a.due = c, c.after(from+rand.Float64()*(to-from))
	close(a.changed)
	a.changed = make(chan struct{})
	return nil
}

// Renew replaces the certificate now.
func (a *Access) Renew(ctx context.Context) error {
	a.renewing.Lock()
	defer a.renewing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	a.mu.Lock()
	current := a.current
	a.mu.Unlock()
	made, err := a.request(ctx, current.config(), current.garden)
	if err == nil {
		err = a.use(made)
	}
	if err != nil {
		return fmt.Errorf("renew client certificate for the garden: %w", err)
	}
	log.FromContext(ctx).Info("Renewed client certificate for the garden", "expires", made.leaf.NotAfter)
	return nil
}

// Config is for clients of the gardenlet. They send each request with the certificate that is current then.
func (a *Access) Config() *rest.Config {
	a.mu.Lock()
	defer a.mu.Unlock()
	return &rest.Config{Host: a.current.garden.Server, Transport: http.RoundTripper(&a.transport)}
}

// Garden is where the garden is.
func (a *Access) Garden() Garden {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.current.garden
}

// Expires is when the current certificate ends.
func (a *Access) Expires() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.current.leaf.NotAfter
}
