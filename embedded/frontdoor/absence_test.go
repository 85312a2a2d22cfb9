package frontdoor_test

import (
	"context"
	"crypto/x509"
	"net"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/certificate"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
)

func TestAbsence(t *testing.T) {
	pair, err := certificate.SelfSigned(&x509.Certificate{DNSNames: []string{"down.test"}, NotAfter: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	trusted, _, err := pair.PEM()
	if err != nil {
		t.Fatal(err)
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	_, address := open(t, frontdoor.Config{
		Routes: map[string]string{"down.test": closed.Addr().String()},
		Absent: func(context.Context, frontdoor.Destination) (frontdoor.Absence, bool) {
			return frontdoor.Absence{Certificate: pair.TLS(), Reason: "it sleeps"}, true
		},
	})
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: "https://" + address, TLSClientConfig: rest.TLSClientConfig{CAData: trusted, ServerName: "down.test"}, BearerToken: "secret",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("GLT-40 a request for objects is told why the server does not answer", func(t *testing.T) {
		if _, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); !apierrors.IsServiceUnavailable(err) || err.Error() != "it sleeps" {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("GLT-40 and so is a discovery", func(t *testing.T) {
		if _, err := client.Discovery().ServerGroups(); err == nil || !strings.Contains(err.Error(), "it sleeps") {
			t.Errorf("error is %v", err)
		}
	})
}
