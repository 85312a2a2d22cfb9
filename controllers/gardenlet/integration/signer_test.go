package integration

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"sync/atomic"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// signer signs approved requests like kube-controller-manager.
type signer struct{ validity atomic.Int64 }

// run signs until ctx ends.
func (s *signer) run(ctx context.Context, t *testing.T) {
	c, err := client.NewWithWatch(environment.Config, client.Options{Scheme: cluster.Scheme()})
	if err != nil {
		t.Error(err)
		return
	}
	events, err := c.Watch(ctx, &certificatesv1.CertificateSigningRequestList{})
	if err != nil {
		t.Error(err)
		return
	}
	defer events.Stop()
	for event := range events.ResultChan() {
		if request, is := event.Object.(*certificatesv1.CertificateSigningRequest); is && approved(request) && len(request.Status.Certificate) == 0 {
			_ = s.sign(ctx, c, request)
		}
	}
}

func approved(request *certificatesv1.CertificateSigningRequest) bool {
	for _, condition := range request.Status.Conditions {
		if condition.Type == certificatesv1.CertificateApproved {
			return true
		}
	}
	return false
}

func (s *signer) sign(ctx context.Context, c client.Client, request *certificatesv1.CertificateSigningRequest) error {
	block, _ := pem.Decode(request.Spec.Request)
	parsed, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return err
	}
	now := time.Now()
	request.Status.Certificate, err = environment.Sign(parsed, now, now.Add(time.Duration(s.validity.Load())))
	if err != nil {
		return err
	}
	return c.SubResource("status").Update(ctx, request)
}

// approveAll does what a person does with kubectl certificate approve.
func approveAll(t *testing.T) {
	t.Helper()
	list := &certificatesv1.CertificateSigningRequestList{}
	if err := cluster.List(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		request := &list.Items[i]
		if len(request.Status.Conditions) > 0 {
			continue
		}
		request.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{
			Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "ByHand", Message: "by hand",
		}}
		if err := cluster.SubResource("approval").Update(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
}

// foreignKubeconfig has a certificate of the seed from an authority that the garden does not know.
func foreignKubeconfig(t *testing.T, seed string) []byte {
	t.Helper()
	pair, err := certificate.SelfSigned(&x509.Certificate{
		Subject:   pkix.Name{CommonName: "gardener.cloud:system:seed:" + seed, Organization: []string{"gardener.cloud:system:seeds"}},
		NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := pair.PEM()
	if err != nil {
		t.Fatal(err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["g"] = &clientcmdapi.Cluster{Server: environment.Config.Host, CertificateAuthorityData: environment.Config.CAData}
	config.AuthInfos["g"] = &clientcmdapi.AuthInfo{ClientCertificateData: cert, ClientKeyData: key}
	config.Contexts["g"] = &clientcmdapi.Context{Cluster: "g", AuthInfo: "g"}
	config.CurrentContext = "g"
	text, err := clientcmd.Write(*config)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// ticking is a clock that a test sets. Short pauses take real time.
type ticking struct{ *clocktesting.FakeClock }

// After implements clock.Clock.
func (c ticking) After(pause time.Duration) <-chan time.Time {
	if pause <= 2*time.Second {
		return time.After(pause)
	}
	return c.FakeClock.After(pause)
}
