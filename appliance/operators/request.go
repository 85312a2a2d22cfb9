package operators

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	typed "k8s.io/client-go/kubernetes/typed/certificates/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

const (
	requestTimeout = 30 * time.Second
	requestPoll    = 100 * time.Millisecond
)

// Request asks a cluster for a certificate of an operator. It is for clusters whose certificate authority the landscape does not
// have, such as kind clusters. cluster is the configuration of the cluster's administrator. Request also binds the group of
// operators, as Part does.
func Request(ctx context.Context, cluster *rest.Config, expiration time.Duration) (daemon.Credential, error) {
	if err := pki.CheckValidity(expiration); err != nil {
		return daemon.Credential{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if err := bind(ctx, cluster); err != nil {
		return daemon.Credential{}, err
	}
	client, err := typed.NewForConfig(cluster)
	if err != nil {
		return daemon.Credential{}, err
	}
	wanted, key, err := requestFor(expiration)
	if err != nil {
		return daemon.Credential{}, err
	}
	signed, err := sign(ctx, client.CertificateSigningRequests(), wanted)
	if err != nil {
		return daemon.Credential{}, fmt.Errorf("request a certificate for operators: %w", err)
	}
	block, _ := pem.Decode(signed)
	if block == nil {
		return daemon.Credential{}, fmt.Errorf("request a certificate for operators: the answer is no certificate")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return daemon.Credential{}, fmt.Errorf("read the certificate for operators: %w", err)
	}
	return daemon.Credential{Cert: signed, Key: key, Expires: certificate.NotAfter}, nil
}

// requestFor returns the request for a certificate, and its key.
func requestFor(expiration time.Duration) (*certificatesv1.CertificateSigningRequest, []byte, error) {
	key, err := certificate.NewKey()
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: user, Organization: []string{Group}},
	}, key)
	if err != nil {
		return nil, nil, fmt.Errorf("make certificate request: %w", err)
	}
	text, err := certificate.EncodeKey(key)
	return &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{GenerateName: user + "-"},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), SignerName: certificatesv1.KubeAPIServerClientSignerName,
			Usages:            []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth},
			ExpirationSeconds: ptr.To(int32(expiration.Seconds())),
		},
	}, text, err
}

// sign approves the request, waits for the certificate and removes the request.
func sign(ctx context.Context, requests typed.CertificateSigningRequestInterface, wanted *certificatesv1.CertificateSigningRequest) (cert []byte, err error) {
	request, err := requests.Create(ctx, wanted, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	name := request.Name
	defer func() { _ = requests.Delete(context.WithoutCancel(ctx), name, metav1.DeleteOptions{}) }() // it would end by itself
	request.Status.Conditions = append(request.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Operator", Message: "requested by the administrator of the cluster",
	})
	if _, err := requests.UpdateApproval(ctx, name, request, metav1.UpdateOptions{}); err != nil {
		return nil, err
	}
	err = wait.PollUntilContextCancel(ctx, requestPoll, true, func(ctx context.Context) (bool, error) {
		now, err := requests.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		cert = now.Status.Certificate
		return len(cert) > 0, nil
	})
	return cert, err
}
