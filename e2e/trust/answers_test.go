package trust

import (
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// answers are what a listener answers to clients without a credential.
type answers struct {
	Refused string         // the alert of TLS, if there was one
	Secure  map[string]int // status by path, of HTTPS
	Plain   map[string]int // of HTTP
}

// openHere are the paths that any server may answer everybody: whether it works.
var openHere = []string{"/healthz", "/livez", "/readyz", "/health"}

// closed are paths that servers of our kinds have, and that tell or do more.
var closed = []string{
	"/", "/api", "/api/v1/secrets", "/apis", "/apis/core.gardener.cloud/v1beta1/shoots", "/openapi/v2", "/configz", "/debug/pprof/", "/debug/pprof/heap", "/debug/flags/v",
	"/debug/resource-dependency-graph", "/logs/", "/pods", "/runningpods/", "/stats/summary", "/metrics/cadvisor", "/exec/token", "/attach/token", "/portforward/token",
	"/containerLogs/kube-system/pod/container", "/run/kube-system/pod/container", "/config", "/v2/keys/", "/v3/kv/range", "/members", "/api/v1/query", "/webhooks/auth/seed",
}

// remoteAlert begins the errors that crypto/tls makes of alerts of the other side.
const remoteAlert = "remote error: tls:"

// sometimes are paths that some servers answer everybody.
var sometimes = []string{"/metrics", "/version"}

// ask asks a listener for everything, first over TLS and then without.
func ask(address string) answers {
	var found answers
	found.Secure, found.Refused = get("https://" + address)
	if len(found.Secure) == 0 && found.Refused == "" {
		found.Refused = alert(address)
	}
	found.Plain, _ = get("http://" + address)
	return found
}

func get(base string) (map[string]int, string) {
	found, refused := map[string]int{}, ""
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // it is not us who must be protected
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, path := range slices.Concat(openHere, closed, sometimes) {
		response, err := client.Get(base + path)
		if err != nil {
			if strings.Contains(err.Error(), remoteAlert) {
				refused = err.Error()
			}
			if len(found) == 0 { // another protocol: the other paths would tell the same
				return found, refused
			}
			continue
		}
		_ = response.Body.Close()
		found[path] = response.StatusCode
	}
	return found, refused
}

// alert waits for the alert of TLS without sending anything. A request may break the connection before the alert is read.
func alert(address string) string {
	const patience = 30 * time.Second
	connection, err := tls.DialWithDialer(&net.Dialer{Timeout: patience}, "tcp", address, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // as above
	if err == nil {
		_ = connection.SetReadDeadline(time.Now().Add(patience))
		_, err = connection.Read(make([]byte, 1))
		_ = connection.Close()
	}
	if err != nil && strings.Contains(err.Error(), remoteAlert) {
		return err.Error()
	}
	return ""
}

// asksForCredential says whether a listener has refused us because it does not know who we are.
func (a answers) asksForCredential() bool {
	refuses := func(status int) bool { return status == http.StatusUnauthorized || status == http.StatusForbidden }
	return strings.Contains(a.Refused, "certificate required") || strings.Contains(a.Refused, "bad certificate") || refuses(a.Secure["/"]) || refuses(a.Secure["/pods"])
}
