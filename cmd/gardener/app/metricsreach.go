package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/appliance/monitoring"
	"github.com/gardener-up/gardener-up/embedded/federation"
)

// How long tokens for metrics are valid. The shortest time is that of the API server.
const (
	shortestToken = 10 * time.Minute
	usualToken    = 30 * 24 * time.Hour
	longestToken  = 90 * 24 * time.Hour
)

func addTokenExpiration(cmd *cobra.Command, expiration *time.Duration) {
	cmd.Flags().DurationVar(expiration, "expiration", *expiration, fmt.Sprintf("how long the token is valid, from %s to %s", shortestToken, longestToken))
}

func checkToken(expiration time.Duration) error {
	if expiration < shortestToken || expiration > longestToken {
		return usageError(fmt.Errorf("--expiration %s is not between %s and %s", expiration, shortestToken, longestToken), "choose a time in between, and print a new token before it is over")
	}
	return nil
}

// metricsAddress is where the metrics of a landscape are, and how this machine gets there.
type metricsAddress struct {
	url *url.URL
	// dial is host:port; serverName is the name in the certificate if that is not the host of dial.
	dial, serverName string
	ca               []byte
}

// reachMetrics asks a running landscape for the address.
func reachMetrics(cmd *cobra.Command, global *globalFlags) (*landscape, metricsAddress, error) {
	l, err := global.load(nil)
	if err != nil {
		return nil, metricsAddress{}, err
	}
	daemon, err := l.running()
	if err != nil {
		return nil, metricsAddress{}, err
	}
	report, err := daemon.Report(cmd.Context())
	if err != nil {
		return nil, metricsAddress{}, cured(fmt.Errorf("ask the landscape for its address: %w", err), `see "gardener status"`)
	}
	config, err := l.gardenConfig(cmd.Context(), 0)
	if err != nil {
		return nil, metricsAddress{}, err
	}
	at, err := addressOf(report.Metrics, report.FrontDoor, config.CAData)
	return l, at, err
}

func addressOf(text, frontDoor string, ca []byte) (metricsAddress, error) {
	if text == "" {
		return metricsAddress{}, &exitError{code: codeFailure, err: fmt.Errorf("the running landscape serves no metrics"), hint: `an older binary runs it; "gardener down" and "gardener up" start this one`}
	}
	parsed, err := url.Parse(text)
	if err != nil {
		return metricsAddress{}, fmt.Errorf("read the address of metrics: %w", err)
	}
	at := metricsAddress{url: parsed, dial: parsed.Host, ca: ca}
	if net.ParseIP(parsed.Hostname()) == nil { // the name need not resolve on this machine
		at.dial, at.serverName = frontDoor, parsed.Hostname()
	}
	return at, nil
}

// metricsToken requests a token that is for metrics only.
func metricsToken(ctx context.Context, l *landscape, expiration time.Duration) (string, error) {
	garden, err := l.garden(ctx)
	if err != nil {
		return "", err
	}
	seconds := int64(expiration.Seconds())
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: []string{monitoring.Audience}, ExpirationSeconds: &seconds}}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: monitoring.Namespace, Name: monitoring.ServiceAccount}}
	err = garden.SubResource("token").Create(ctx, account, request)
	if apierrors.IsNotFound(err) {
		return "", &exitError{
			code: codeNotFound, err: fmt.Errorf("service account %s/%s of the garden does not exist", monitoring.Namespace, monitoring.ServiceAccount),
			hint: `the landscape makes it when it starts: wait for "gardener up", or start it again with "gardener down" and "gardener up"`,
		}
	}
	if err != nil {
		return "", cured(fmt.Errorf("request a token for metrics: %w", err), `see "gardener status"`)
	}
	return request.Status.Token, nil
}

// get requests metrics.
func (m metricsAddress) get(ctx context.Context, token string, scope federation.Scope, names []string) (io.ReadCloser, error) {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(m.ca)
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool, ServerName: m.serverName},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", m.dial)
		},
	}}
	where := *m.url
	query := url.Values{"name[]": names}
	if scope != (federation.Scope{}) {
		query.Set("scope", scope.String())
	}
	where.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, where.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := client.Do(req)
	if err != nil {
		return nil, cured(fmt.Errorf("read metrics: %w", err), `see "gardener status": the part "metrics" may be starting`)
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer func() { _ = resp.Body.Close() }()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	failed := &exitError{code: codeFailure, err: fmt.Errorf("read metrics: %s: %s", resp.Status, strings.TrimSpace(string(said))), hint: `see "gardener status"`}
	if resp.StatusCode == http.StatusNotFound {
		failed.code, failed.hint = codeNotFound, `"gardener seed list" and "gardener shoot list" list what there is`
	}
	return nil, failed
}
