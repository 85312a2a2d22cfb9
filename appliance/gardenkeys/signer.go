package gardenkeys

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
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
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

const (
	// probeUser has no rights. Certificates of it show which authority signs.
	probeUser = "gardener.cloud:rotation"
	// probeSeconds is the shortest validity that an API server allows.
	probeSeconds = 600
	// probeTimeout is how long one request may stay unanswered.
	probeTimeout  = 5 * time.Second
	probeInterval = 50 * time.Millisecond
)

// signsFor waits until the garden signs requests for client certificates by this authority. The controller that signs reads its files
// by itself.
func signsFor(ctx context.Context, requests certificatesclient.CertificateSigningRequestInterface, issuer *x509.Certificate) error {
	last := errors.New("no certificate was requested")
	err := wait.PollUntilContextCancel(ctx, 4*probeInterval, true, func(ctx context.Context) (bool, error) {
		last = signedBy(ctx, requests, issuer)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("the garden does not sign requests for certificates by the new authority yet: %w", errors.Join(last, err))
	}
	return nil
}

// signedBy requests one certificate and looks who has signed it.
func signedBy(ctx context.Context, requests certificatesclient.CertificateSigningRequestInterface, issuer *x509.Certificate) (err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	key, err := certificate.NewKey()
	if err != nil {
		return err
	}
	text, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: probeUser}}, key)
	if err != nil {
		return err
	}
	request, err := requests.Create(ctx, &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "rotation-"},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: text}),
			SignerName: certificatesv1.KubeAPIServerClientSignerName, ExpirationSeconds: ptr.To[int32](probeSeconds),
			Usages: []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	name := request.Name
	defer func() {
		if failed := requests.Delete(context.WithoutCancel(ctx), name, metav1.DeleteOptions{}); failed != nil && !apierrors.IsNotFound(failed) {
			err = errors.Join(err, failed)
		}
	}()
	request.Status.Conditions = append(request.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Rotation", Message: "The landscape looks which authority signs",
	})
	if request, err = requests.UpdateApproval(ctx, name, request, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := wait.PollUntilContextCancel(ctx, probeInterval, true, func(ctx context.Context) (bool, error) {
		request, err = requests.Get(ctx, name, metav1.GetOptions{})
		return err == nil && len(request.Status.Certificate) > 0, err
	}); err != nil {
		return fmt.Errorf("wait for an answer: %w", err)
	}
	signed, err := certificate.Parse(request.Status.Certificate)
	if err != nil {
		return err
	}
	return signed.CheckSignatureFrom(issuer)
}
