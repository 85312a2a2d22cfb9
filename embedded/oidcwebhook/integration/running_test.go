package integration

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/oidcwebhook"
	"github.com/gardener-up/gardener-up/embedded/testissuer"
	"github.com/gardener-up/gardener-up/embedded/testport"
)

// running is a server of the test environment.
type running struct {
	url    string
	client client.Client
}

// run starts a server that may dial loopback addresses, since the issuers of tests have no others.
func run(t *testing.T) running {
	t.Helper()
	return runWith(t, guardeddial.Rules{Hosts: []string{"127.0.0.1"}}.DialContext)
}

func runWith(t *testing.T, dial oidcwebhook.Dial) running {
	t.Helper()
	port := testport.Free(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- oidcwebhook.Run(ctx, oidcwebhook.Config{
			Kubeconfig: env.Kubeconfig, BindAddress: net.IPv4(127, 0, 0, 1), Port: port, Dial: dial, Log: logr.Discard(),
			CertFile: filepath.Join(env.Dir, "server.crt"), KeyFile: filepath.Join(env.Dir, "server.key"),
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("server: %v", err)
		}
	})
	scheme := runtime.NewScheme()
	if err := oidcv1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(env.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	out := running{url: "https://127.0.0.1:" + strconv.Itoa(port), client: c}
	eventually(t, "the server is ready", func() bool {
		resp, err := out.http(t, nil).Get(out.url + "/readyz")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	// The server reads the CA of client certificates from the cluster, and may be ready before that.
	eventually(t, "the server knows administrators", func() bool {
		code, _ := out.post(t, "", `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview"}`)
		return code == http.StatusOK
	})
	return out
}

// http is a client with the credentials of a configuration, or with none. It does not verify the server.
func (r running) http(t *testing.T, as *rest.Config) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	if as != nil {
		certificate, err := tls.X509KeyPair(as.CertData, as.KeyData)
		if err != nil {
			t.Fatal(err)
		}
		transport.TLSClientConfig.Certificates = []tls.Certificate{certificate}
	}
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}

// post sends a body with a bearer token, or as an administrator if that is empty.
func (r running) post(t *testing.T, bearer, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, r.url+oidcwebhook.Path, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	as := env.Config
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
		as = nil
	}
	resp, err := r.http(t, as).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func (r running) review(t *testing.T, token string) authenticationv1.TokenReviewStatus {
	t.Helper()
	body, err := json.Marshal(map[string]any{"apiVersion": "authentication.k8s.io/v1beta1", "kind": "TokenReview", "spec": map[string]any{"token": token}})
	if err != nil {
		t.Fatal(err)
	}
	code, answer := r.post(t, "", string(body))
	out := authenticationv1.TokenReview{}
	if err := json.Unmarshal([]byte(answer), &out); err != nil || code != http.StatusOK || out.APIVersion != "authentication.k8s.io/v1beta1" || out.Kind != "TokenReview" {
		t.Fatalf("%d %s: %v", code, answer, err)
	}
	return out.Status
}

// create makes an object that goes with the test.
func (r running) create(t *testing.T, name string, issuer *testissuer.Issuer, change func(*oidcv1alpha1.OpenIDConnectSpec)) *oidcv1alpha1.OpenIDConnect {
	t.Helper()
	out := &oidcv1alpha1.OpenIDConnect{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: oidcv1alpha1.OpenIDConnectSpec{
		IssuerURL: issuer.URL, ClientID: "my-app", CABundle: issuer.CA,
	}}
	if change != nil {
		change(&out.Spec)
	}
	if err := r.client.Create(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.IgnoreNotFound(r.client.Delete(context.Background(), out)) })
	return out
}

// accepted waits until a token is valid.
func (r running) accepted(t *testing.T, token string) authenticationv1.UserInfo {
	t.Helper()
	var last authenticationv1.TokenReviewStatus
	eventually(t, "the token is valid", func() bool { last = r.review(t, token); return last.Authenticated })
	return last.User
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	env.Until(t, what, func(context.Context) error {
		if !done() {
			return errors.New("it is not so")
		}
		return nil
	})
}

// A process that runs the webhook among other servers tries again.
func TestPortAfterFailure(t *testing.T) {
	t.Run("OIDC-2 a server that cannot start leaves its port", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().(*net.TCPAddr)
		_ = listener.Close()
		missing := filepath.Join(t.TempDir(), "missing")
		err = oidcwebhook.Run(t.Context(), oidcwebhook.Config{
			Kubeconfig: env.Kubeconfig, BindAddress: address.IP, Port: address.Port, CertFile: missing, KeyFile: missing, Log: logr.Discard(),
		})
		if err == nil {
			t.Fatal("the server runs without a certificate")
		}
		again, err := net.Listen("tcp", address.String())
		if err != nil {
			t.Fatal(err)
		}
		_ = again.Close()
	})
}
