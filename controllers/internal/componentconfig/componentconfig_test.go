package componentconfig_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

// part of a configuration with everything that components have in common.
type part struct {
	Connection          componentconfig.ClientConnection `json:"connection"`
	Server              componentconfig.Server           `json:"server"`
	HTTPS               *componentconfig.HTTPSListener   `json:"https,omitempty"`
	Election            componentconfig.LeaderElection   `json:"election"`
	Debugging           componentconfig.Debugging        `json:"debugging"`
	componentconfig.Log `json:",inline"`
}

const full = `
connection: {kubeconfig: a, acceptContentTypes: b, contentType: c, qps: 3, burst: 4}
server: {healthProbes: {bindAddress: d, port: 5}, metrics: {bindAddress: e, port: 6}}
https: {bindAddress: f, port: 7, tls: {serverCertPath: g, serverKeyPath: h}}
election: {leaderElect: false, leaseDuration: 8s, renewDeadline: 9s, retryPeriod: 10s, resourceLock: i, resourceName: j, resourceNamespace: k}
debugging: {enableProfiling: true, enableContentionProfiling: true}
logLevel: error
logFormat: text
`

func decode(t *testing.T, raw string) *part {
	t.Helper()
	decoded := &part{}
	if err := componentconfig.Decode([]byte(raw), decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

func setDefaults(p *part) {
	p.Connection.SetDefaults(50, 100)
	p.Server.SetDefaults(1, 2)
	p.Election.SetDefaults("lease")
	p.Log.SetDefaults()
}

func encode(t *testing.T, p *part) string {
	t.Helper()
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestValuesOfAFileAreKept(t *testing.T) {
	decoded := decode(t, full)
	setDefaults(decoded)
	want := `{"connection":{"kubeconfig":"a","acceptContentTypes":"b","contentType":"c","qps":3,"burst":4},` +
		`"server":{"healthProbes":{"bindAddress":"d","port":5},"metrics":{"bindAddress":"e","port":6}},` +
		`"https":{"bindAddress":"f","port":7,"tls":{"serverCertPath":"g","serverKeyPath":"h"}},` +
		`"election":{"leaderElect":false,"leaseDuration":"8s","renewDeadline":"9s","retryPeriod":"10s","resourceLock":"i","resourceName":"j","resourceNamespace":"k"},` +
		`"debugging":{"enableProfiling":true,"enableContentionProfiling":true},"logLevel":"error","logFormat":"text"}`
	if diff := cmp.Diff(want, encode(t, decoded)); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
}

func TestDefaults(t *testing.T) {
	decoded := decode(t, "server: {healthProbes: {}}")
	setDefaults(decoded)
	want := `{"connection":{"qps":50,"burst":100},"server":{"healthProbes":{"port":1}},` +
		`"election":{"leaderElect":true,"leaseDuration":"15s","renewDeadline":"10s","retryPeriod":"2s","resourceLock":"leases","resourceName":"lease"},` +
		`"debugging":{},"logLevel":"info","logFormat":"json"}`
	if diff := cmp.Diff(want, encode(t, decoded)); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
}

func TestAllMistakesAreNamed(t *testing.T) {
	p := decode(t, "{connection: {qps: -1, burst: -1}, server: {metrics: {port: -1}}, https: {port: 65536, tls: {}}, logLevel: loud}")
	p.Server.HealthProbes = &componentconfig.Listener{Port: 65535}
	m := &componentconfig.Mistakes{}
	p.Log.Validate(m)
	p.Connection.Validate(m, "connection")
	p.Server.Validate(m)
	p.HTTPS.Validate(m, "server.https")
	componentconfig.LeaderElection{}.Validate(m)
	m.Syncs("controllers.shoot", 0)
	m.Syncs("controllers.seed", 1)
	want := []string{
		`logLevel "loud" is not one of debug, info, error`, `logFormat "" is not one of json, text`,
		"connection.qps must not be negative", "connection.burst must not be negative", "server.metrics.port must be between 0 and 65535",
		"server.https.port must be between 0 and 65535", "server.https.tls.serverCertPath is required", "server.https.tls.serverKeyPath is required",
		"leaderElection.retryPeriod must be positive", "leaderElection.renewDeadline must be more than retryPeriod", "leaderElection.leaseDuration must be more than renewDeadline",
		"controllers.shoot.concurrentSyncs must be at least 1",
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), m.Err().Error()); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s", diff)
	}
	none := &componentconfig.Mistakes{}
	(*componentconfig.HTTPSListener)(nil).Validate(none, "server.https")
	if err := none.Err(); err != nil {
		t.Errorf("a part that is not configured has a mistake: %v", err)
	}
}

func TestDecodeIsStrict(t *testing.T) {
	for name, tc := range map[string]struct{ raw, want string }{
		"an unknown key":        {"server: {nonsense: 1}", `unknown field "server.nonsense"`},
		"another spelling":      {"LogLevel: info", `unknown field "LogLevel"`},
		"a doubled key":         {"logLevel: info\nlogLevel: info", "logLevel"},
		"a value of other type": {"connection: {qps: a}", "qps"},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			if err := componentconfig.Decode([]byte(tc.raw), &part{}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestAddressOfAPod(t *testing.T) {
	of := componentconfig.Listener{BindAddress: componentconfig.PodIP, Port: 5}
	for name, tc := range map[string]struct{ environment, want string }{
		"OPR-16 a component in a pod listens at its address":           {"10.1.0.9", "10.1.0.9:5"},
		"OPR-16 elsewhere it listens at no address rather than at all": {"", "$(POD_IP):5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("POD_IP", tc.environment)
			if got := of.Address(); got != tc.want {
				t.Errorf("address %s, want %s", got, tc.want)
			}
		})
	}
}
