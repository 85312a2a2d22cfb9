package alone

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// upstreamFlags are flags of the public program of each component. They stand for all: those of Kubernetes' servers and etcd are passed on
// as they are. Components without flags here have no public program, or flags of their own.
var upstreamFlags = map[string][]string{
	"etcd":                        {"--data-dir", "--listen-client-urls", "--initial-cluster", "--quota-backend-bytes"},
	"kube-apiserver":              {"--etcd-servers", "--service-cluster-ip-range", "--service-account-issuer", "--feature-gates"},
	"kube-controller-manager":     {"--controllers", "--cluster-cidr", "--leader-elect", "--kubeconfig"},
	"kube-scheduler":              {"--config", "--leader-elect", "--kubeconfig"},
	"apiserver":                   {"--etcd-servers", "--secure-port", "--authentication-kubeconfig", "--shoot-admin-kubeconfig-max-expiration"},
	"scheduler":                   {"--config"},
	"gardener-controller-manager": {"--config"},
	"operator":                    {"--config"},
	"admission-controller":        {"--config"},
	"gardenlet":                   {"--config"},
	"resource-manager":            {"--config"},
	"node-agent":                  {"--config"},
	"machine-controller-manager":  {"--control-kubeconfig", "--target-kubeconfig", "--namespace", "--machine-drain-timeout"},
	"cloud-controller-manager":    {"--kubeconfig", "--leader-elect"},
	"cluster-autoscaler":          {"--nodes", "--kubeconfig", "--scale-down-unneeded-time", "--expander"},
	"vpa-recommender":             {"--kubeconfig", "--recommender-interval", "--pod-recommendation-min-cpu-millicores"},
	"vpa-updater":                 {"--kubeconfig", "--updater-interval", "--eviction-tolerance"},
	"vpa-admission-controller":    {"--kubeconfig", "--tls-cert-file", "--tls-private-key"},
	"metrics-server":              {"--secure-port", "--metric-resolution", "--kubelet-certificate-authority"},
	"oidc-webhook-authenticator":  {"--kubeconfig", "--tls-cert-file"},
	"kubelet":                     {"--config", "--kubeconfig", "--bootstrap-kubeconfig", "--hostname-override", "--node-labels"},
	"seed-admission-controller":   {"--kubeconfig"},

	"apiserver-proxy": nil, "backup-restore": nil, "callback": nil, "connectivity-test": nil, "container-runtime": nil, "front-door": nil, "garden": nil,
	"machine": nil, "network-probe": nil, "node-init": nil, "prometheus": nil, "provider-local-webhook": nil, "registry-cache": nil, "vpn-seed-server": nil, "vpn-shoot-client": nil,
}

var listed = regexp.MustCompile(`(?m)^  ([a-z-]+) +[A-Z]`)

func TestHelp(t *testing.T) {
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	help := func(words ...string) string {
		out, err := exec.CommandContext(t.Context(), binary, append(append([]string{"component"}, words...), "--help")...).CombinedOutput()
		if err != nil {
			t.Fatalf("help of %q: %v\n%s", words, err, out)
		}
		return string(out)
	}
	var names []string
	for _, match := range listed.FindAllStringSubmatch(help(), -1) {
		names = append(names, match[1])
	}
	for _, name := range names {
		flags, known := upstreamFlags[name]
		if !known {
			t.Errorf("APP-7 nobody says which flags the public %s has", name)
		}
		t.Run("APP-7 the help of "+name+" lists the flags of the public program", func(t *testing.T) {
			words := strings.FieldsFunc(help(name), func(r rune) bool { return strings.ContainsRune(" \n\t=,'`", r) })
			for _, flag := range flags {
				if !slices.Contains(words, flag) {
					t.Errorf("%s is missing in %q", flag, words)
				}
			}
		})
	}
	for name := range upstreamFlags {
		if !slices.Contains(names, name) {
			t.Errorf("there is no component %s among %v", name, names)
		}
	}
}
