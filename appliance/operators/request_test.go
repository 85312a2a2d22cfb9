package operators

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

var environment *testenv.Env

func TestMain(m *testing.M) {
	testenv.Main(m, testenv.Options{}, func(e *testenv.Env) { environment = e })
}

// signRequests does what kube-controller-manager does in a cluster of kind.
func signRequests(ctx context.Context, t *testing.T, client kubernetes.Interface) {
	requests := client.CertificatesV1().CertificateSigningRequests()
	events, err := requests.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	defer events.Stop()
	for event := range events.ResultChan() { // until ctx ends
		request, is := event.Object.(*certificatesv1.CertificateSigningRequest)
		if !is || len(request.Status.Conditions) != 1 || request.Status.Conditions[0].Type != certificatesv1.CertificateApproved || len(request.Status.Certificate) > 0 {
			continue
		}
		block, _ := pem.Decode(request.Spec.Request)
		if block == nil {
			continue
		}
		parsed, err := x509.ParseCertificateRequest(block.Bytes)
		if err != nil {
			continue
		}
		now := time.Now()
		if request.Status.Certificate, err = environment.Sign(parsed, now, now.Add(time.Duration(*request.Spec.ExpirationSeconds)*time.Second)); err == nil {
			_, _ = requests.UpdateStatus(ctx, request, metav1.UpdateOptions{})
		}
	}
}

func TestRequest(t *testing.T) {
	admin, err := kubernetes.NewForConfig(environment.Config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { signRequests(ctx, t, admin); close(ended) }()
	defer func() { cancel(); <-ended }()

	credential, err := Request(t.Context(), environment.Config, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if left := time.Until(credential.Expires); left > time.Hour || left < 50*time.Minute {
		t.Errorf("APP-20 the certificate lasts %s, want an hour", left)
	}
	config := rest.CopyConfig(environment.Config)
	config.TLSClientConfig = rest.TLSClientConfig{CAData: environment.Config.CAData, CAFile: environment.Config.CAFile, CertData: credential.Cert, KeyData: credential.Key}
	operator, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("APP-20 an operator of a kind seed is bound by RBAC", func(t *testing.T) {
		who, err := operator.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		if err != nil || strings.Join(who.Status.UserInfo.Groups, " ") != Group+" system:authenticated" {
			t.Errorf("the user is %v, %v", who, err)
		}
		if _, err := operator.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{}); err != nil {
			t.Errorf("an operator may not read Secrets: %v", err)
		}
	})
	t.Run("nothing is left of the request", func(t *testing.T) {
		left, err := admin.CertificatesV1().CertificateSigningRequests().List(t.Context(), metav1.ListOptions{})
		if err != nil || len(left.Items) > 0 {
			t.Errorf("left are %v, %v", left.Items, err)
		}
	})
	t.Run("APP-20 nobody gets a certificate of a year", func(t *testing.T) {
		if _, err := Request(t.Context(), environment.Config, 8760*time.Hour); err == nil || !strings.Contains(err.Error(), pki.MaxValidity.String()) {
			t.Errorf("error = %v", err)
		}
	})
}
