package rows

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc"
)

// workloadIdentity verifies a token as an external system does. It knows the URL of the issuer and the CA it trusts,
// and its names resolve to the front door.
func workloadIdentity(t *testing.T, f *fixture) {
	f.Kubectl(f.Garden(), "apply", "-f", f.File("identity.yaml", `apiVersion: security.gardener.cloud/v1alpha1
kind: WorkloadIdentity
metadata: {name: outside, namespace: `+project+`}
spec: {audiences: [cloud], targetSystem: {type: local}}
`))
	request := f.File("token.json", `{"apiVersion":"security.gardener.cloud/v1alpha1","kind":"TokenRequest","spec":{"expirationSeconds":3600}}`)
	var answer struct{ Status struct{ Token string } }
	path := "/apis/security.gardener.cloud/v1alpha1/namespaces/" + project + "/workloadidentities/outside/token"
	if err := json.Unmarshal([]byte(f.Kubectl(f.Garden(), "create", "--raw", path, "-f", request)), &answer); err != nil {
		t.Fatal(err)
	}
	subject := f.garden("workloadidentities/outside", "{.status.sub}")

	issuer := claimedIssuer(t, answer.Status.Token)
	client := outsider(t, f)
	ctx := oidc.ClientContext(t.Context(), client)
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		t.Fatalf("discover %s: %v", issuer, err)
	}
	token, err := provider.Verifier(&oidc.Config{ClientID: "cloud", SupportedSigningAlgs: []string{oidc.ES256}}).Verify(ctx, answer.Status.Token)
	if err != nil {
		t.Fatalf("the token is not good: %v", err)
	}
	if token.Subject != subject || time.Until(token.Expiry) > time.Hour {
		t.Errorf("it is for %q until %s, want %q for an hour", token.Subject, token.Expiry, subject)
	}
	if _, err := provider.Verifier(&oidc.Config{ClientID: "other", SupportedSigningAlgs: []string{oidc.ES256}}).Verify(ctx, answer.Status.Token); err == nil {
		t.Error("the token is good for another audience, too")
	}
	at, err := url.Parse(issuer)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Get("https://" + at.Host + "/apis/core.gardener.cloud/v1beta1/shoots")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("the Gardener API answers at the issuer's name with %s", response.Status)
	}
}

// claimedIssuer reads the issuer from the token without verification.
func claimedIssuer(t *testing.T, token string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("the token has %d parts", len(parts))
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	var claims struct {
		Issuer string `json:"iss"`
	}
	if err := json.Unmarshal(payload, &claims); err != nil {
		t.Fatal(err)
	}
	return claims.Issuer
}

// outsider is a client without credentials for which all names resolve to the front door.
func outsider(t *testing.T, f *fixture) *http.Client {
	t.Helper()
	kubeconfig, err := os.ReadFile(f.Garden())
	if err != nil {
		t.Fatal(err)
	}
	config := load(t, kubeconfig)
	entry := config.Clusters[config.Contexts[config.CurrentContext].Cluster]
	server, err := url.Parse(entry.Server)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(entry.CertificateAuthorityData) {
		t.Fatal("the kubeconfig of the garden has no authority")
	}
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort(server.Hostname(), port))
		},
	}}
}
