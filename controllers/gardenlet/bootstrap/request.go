package bootstrap

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	certificatesclient "k8s.io/client-go/kubernetes/typed/certificates/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

const (
	namePrefix = "seed-csr-"
	// patience is how long a request may stay unanswered until another one is made.
	patience = 15 * time.Minute
	// tokenDelay bounds how long an API server may not know a new token.
	tokenDelay = 3 * time.Second
	// firstLook is the pause before the first look for an answer, which a landscape gives at once.
	firstLook = 20 * time.Millisecond
)

// errUnanswered means that nobody decided on a request in time.
var errUnanswered = errors.New("the certificate request was not answered")

// requester gets client certificates for the gardenlet of a seed.
type requester struct {
	seed     string
	validity time.Duration // zero: as the signer likes
	clock    clock.Clock
}

// certificate requests a certificate until a request is answered, and returns it with its key, both in PEM format.
func (r requester) certificate(ctx context.Context, access *rest.Config) (cert, key []byte, err error) {
	client, err := certificatesclient.NewForConfig(access)
	if err != nil {
		return nil, nil, fmt.Errorf("make client for certificate requests: %w", err)
	}
	for {
		cert, key, err = r.attempt(ctx, client.CertificateSigningRequests())
		if !errors.Is(err, errUnanswered) {
			return cert, key, err
		}
	}
}

func (r requester) attempt(ctx context.Context, client certificatesclient.CertificateSigningRequestInterface) (cert, key []byte, err error) {
	request, key, err := r.request()
	if err != nil {
		return nil, nil, err
	}
	began := r.clock.Now()
	if err := r.create(ctx, client, request); err != nil {
		return nil, nil, err
	}
	logger := log.FromContext(ctx).WithValues("certificateSigningRequest", request.Name)
	logger.Info("Requested a client certificate for the garden")
	pause := wait.Backoff{Duration: firstLook, Factor: 1.5, Steps: 20, Cap: 2 * time.Second}
	for r.clock.Since(began) < patience {
		select {
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("wait for certificate request %q: %w", request.Name, ctx.Err())
		case <-r.clock.After(pause.Step()):
		}
		request, err := client.Get(ctx, request.Name, metav1.GetOptions{})
		if apierrors.IsUnauthorized(err) || apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
			return nil, nil, fmt.Errorf("wait for the answer to a certificate request: %w", err)
		}
		if err != nil {
			continue // the garden may come back
		}
		if done, err := answered(request); done || err != nil {
			return request.Status.Certificate, key, err
		}
	}
	logger.Info("Nobody answered the certificate request, will make another one", "after", patience.String())
	return nil, nil, errUnanswered
}

// create is patient: an API server knows a new bootstrap token only after a moment.
func (r requester) create(ctx context.Context, client certificatesclient.CertificateSigningRequestInterface, request *certificatesv1.CertificateSigningRequest) error {
	for began := r.clock.Now(); ; {
		_, err := client.Create(ctx, request, metav1.CreateOptions{})
		if err == nil {
			return nil
		}
		if !apierrors.IsUnauthorized(err) || r.clock.Since(began) > tokenDelay {
			return fmt.Errorf("create certificate request: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("create certificate request: %w", ctx.Err())
		case <-r.clock.After(firstLook):
		}
	}
}

// answered reports whether the request has its certificate. The error says who refused it and why.
func answered(request *certificatesv1.CertificateSigningRequest) (bool, error) {
	for _, condition := range request.Status.Conditions {
		refused := condition.Type == certificatesv1.CertificateDenied || condition.Type == certificatesv1.CertificateFailed
		if refused && condition.Status == corev1.ConditionTrue {
			return false, fmt.Errorf("certificate request %q: %s: %s", request.Name, condition.Reason, condition.Message)
		}
	}
	return len(request.Status.Certificate) > 0, nil
}

// request has a new key each time, since the former ones are lost with their process.
func (r requester) request() (*certificatesv1.CertificateSigningRequest, []byte, error) {
	key, err := certificate.NewKey()
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: userOf(r.seed), Organization: []string{constants.SeedsGroup}},
	}, key)
	if err != nil {
		return nil, nil, fmt.Errorf("make certificate request: %w", err)
	}
	text, err := certificate.EncodeKey(key)
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.Sum256(der)
	request := &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{Name: namePrefix + hex.EncodeToString(sum[:10])},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
			SignerName: certificatesv1.KubeAPIServerClientSignerName,
			Usages:     []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageKeyEncipherment, certificatesv1.UsageClientAuth},
		},
	}
	if r.validity > 0 {
		request.Spec.ExpirationSeconds = ptr.To(int32(r.validity.Seconds()))
	}
	return request, text, nil
}
