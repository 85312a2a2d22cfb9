package integration

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
)

// files are what an operator writes for the admission controller and for the API server that asks it.
type files struct {
	dir, url      string
	port          int
	authorization string       // of the API server
	client        *http.Client // trusts the admission controller and presents no certificate
	caller        *http.Client // has the certificate of the API server
}

func (f files) path(name string) string { return filepath.Join(f.dir, name) }

func makeFiles(dir string) (f files, err error) {
	f.dir = dir
	if f.port, err = gardenapitest.FreePort("127.0.0.1"); err != nil {
		return f, err
	}
	f.url = fmt.Sprintf("https://127.0.0.1:%d", f.port)
	now := time.Now()
	authority, err := certificate.SelfSigned(&x509.Certificate{
		Subject: pkix.Name{CommonName: "admission"}, NotBefore: now.Add(-time.Minute), NotAfter: now.Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	})
	if err != nil {
		return f, err
	}
	ca, _, err := authority.PEM()
	if err != nil {
		return f, err
	}
	issue := func(name, file string, usage x509.ExtKeyUsage) error {
		template := &x509.Certificate{
			Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-time.Minute), NotAfter: now.Add(time.Hour),
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{usage},
		}
		certificate.AddHosts(template, "127.0.0.1")
		pair, err := certificate.Authority{Cert: authority.Cert, Key: authority.Key}.Issue(template)
		if err != nil {
			return err
		}
		cert, key, err := pair.PEM()
		if err != nil {
			return err
		}
		_, certErr := write(dir, file+".crt", cert)
		_, keyErr := write(dir, file+".key", key)
		return errors.Join(certErr, keyErr)
	}
	_, err = write(dir, "ca.crt", ca)
	if err := errors.Join(err, issue("admission", "tls", x509.ExtKeyUsageServerAuth), issue("kube-apiserver", "caller", x509.ExtKeyUsageClientAuth)); err != nil {
		return f, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	f.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	pair, err := tls.LoadX509KeyPair(f.path("caller.crt"), f.path("caller.key"))
	if err != nil {
		return f, err
	}
	f.caller = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}}}
	return f, f.writeAuthorization()
}

func (f *files) writeAuthorization() error {
	kubeconfig, err := write(f.dir, "kubeconfig", fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: '%s/webhooks/auth/seed', certificate-authority: %s}}]
users: [{name: u, user: {client-certificate: %s, client-key: %s}}]
`, f.url, f.path("ca.crt"), f.path("caller.crt"), f.path("caller.key")))
	if err != nil {
		return err
	}
	f.authorization, err = write(f.dir, "authorization.yaml", fmt.Appendf(nil, `apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- {type: RBAC, name: rbac}
- type: Webhook
  name: seed-authorizer
  webhook:
    authorizedTTL: 1s
    cacheAuthorizedRequests: false
    unauthorizedTTL: 1s
    cacheUnauthorizedRequests: false
    timeout: 10s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: %s}
    matchConditions:
    - expression: "'gardener.cloud:system:seeds' in request.groups"
`, kubeconfig))
	return err
}

// config writes the configuration of the component for a garden.
func (f files) config(kubeconfig string) string {
	file, err := write(f.dir, "config.yaml", fmt.Appendf(nil, `apiVersion: admissioncontroller.config.gardener.cloud/v1alpha1
kind: AdmissionControllerConfiguration
gardenClientConnection: {kubeconfig: %s, qps: 100, burst: 130}
server:
  webhooks: {bindAddress: 127.0.0.1, port: %d, tls: {serverCertDir: %s}}
  enableDebugHandlers: true
  resourceAdmissionConfiguration:
    limits:
    - {apiGroups: [core.gardener.cloud], apiVersions: ["*"], resources: [shoots, quotas], size: 100k}
    - {apiGroups: [""], apiVersions: [v1], resources: [secrets], size: 100k}
    - {apiGroups: [coordination.k8s.io], apiVersions: ["*"], resources: [leases], size: 100k}
    unrestrictedSubjects:
    - {kind: Group, apiGroup: rbac.authorization.k8s.io, name: gardener.cloud:system:seeds}
`, kubeconfig, f.port, f.dir))
	if err != nil {
		panic(err)
	}
	return file
}
