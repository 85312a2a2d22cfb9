package trust

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// handedIn is a shoot without workers of a user whose documents are hostile, or look like it.
func handedIn(name, apiServer, dns string) string {
	return fmt.Sprintf(`apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: %s, namespace: garden-local}
spec:
  cloudProfileName: local
  region: local
  purpose: testing
  provider: {type: local}
  resources:
  - {name: hooks, resourceRef: {apiVersion: v1, kind: Secret, name: hooks}}
  dns: %s
  kubernetes:
    version: %s
    kubeAPIServer: %s
`, name, dns, kubeversion.Number, apiServer)
}

const (
	secrets = `apiVersion: v1
kind: Secret
metadata: {name: hooks, namespace: garden-local}
stringData:
  kubeconfig: |
    apiVersion: v1
    kind: Config
    users: [{name: '*', user: {token: t}}]
`
	thief = `apiVersion: v1
kind: Secret
metadata: {name: thief, namespace: garden-local}
stringData:
  kubeconfig: |
    apiVersion: v1
    kind: Config
    users: [{name: '*', user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, args: [stolen], interactiveMode: Never}}}]
`
	withFile = `{admissionPlugins: [{name: MutatingAdmissionWebhook, config: {apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: /etc/passwd}}]}`
	withOurs = `{structuredAuthentication: {configMapName: issuers}, admissionPlugins: [{name: MutatingAdmissionWebhook, kubeconfigSecretName: hooks, config: {apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: /etc/passwd}}]}`
)

// TestHandedIn tries what a user can hand in with a Shoot and in a shoot.
func TestHandedIn(t *testing.T) {
	l := framework.New(t)
	l.Gardener("up")
	create := func(text string) framework.Result {
		return l.TryKubectl(l.Garden(), "create", "-f", l.File("handed-in.yaml", text))
	}
	if made := create(secrets); made.Code != 0 {
		t.Fatal(made.Stderr)
	}
	t.Run("GCM-5 the objects of a project are counted", func(t *testing.T) {
		l := l.For(t)
		l.Eventually(time.Minute, "Secrets are counted", func() (bool, string) {
			used := l.Kubectl(l.Garden(), "-n", "garden-local", "get", "resourcequota", "gardener", "-o", "jsonpath={.spec.hard.count/secrets} {.status.used.count/secrets}")
			return strings.HasPrefix(used, "5k ") && !strings.HasSuffix(used, " 0"), used
		})
	})
	for name, tc := range map[string]struct{ text, want string }{
		"API-18 a kubeconfig that runs a program":             {thief, "runs a program, which is not allowed"},
		"API-18 a file of the machine in an admission plugin": {handedIn("file", withFile, "null"), "kubeConfigFile: must not name a file"},
		"API-23 the domain of the garden":                     {handedIn("names", "null", "{domain: virtual-garden.local.gardener.cloud}"), "is reserved for the garden"},
		"API-23 an internal name of another project":          {handedIn("names", "null", "{domain: sun.other.internal.local.gardener.cloud}"), "is reserved for the garden"},
		"API-23 the domain of the garden in capitals":         {handedIn("names", "null", "{domain: Virtual-Garden.local.gardener.cloud}"), "a lowercase RFC 1123 subdomain"},
		"API-23 the domain of the garden with a dot":          {handedIn("names", "null", "{domain: virtual-garden.local.gardener.cloud.}"), "a lowercase RFC 1123 subdomain"},
		"API-23 all names at once":                            {handedIn("names", "null", "{domain: '*.local.gardener.cloud'}"), "a lowercase RFC 1123 subdomain"},
		"ADM-18 a place of another project":                   {handedIn("names", "null", "{domain: names.other.external.local.gardener.cloud}"), "it must be names.local.external.local.gardener.cloud"},
		"ADM-18 a place of another project with two names": {
			strings.Replace(handedIn("names", "null", "{domain: sun.other.external.local.gardener.cloud}"), "{name: names,", "{name: names, generateName: n-,", 1),
			"it must be names.local.external.local.gardener.cloud",
		},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			result := create(tc.text)
			if result.Code == 0 || !strings.Contains(result.Stderr+result.Stdout, tc.want) {
				t.Errorf("code %d: %s", result.Code, result.Stderr)
			}
		})
	}
	server := newListener(t)
	for _, text := range []string{issuers(server.port), handedIn("hooked", withOurs, "null")} {
		if made := create(text); made.Code != 0 {
			t.Fatal(made.Stderr)
		}
	}
	l.Gardener("shoot", "wait", "hooked", "-n", "garden-local", "--timeout=5m") // with a kubeconfig for a webhook plugin
	t.Run("APP-19 an issuer of tokens is not on this machine", func(t *testing.T) {
		l := l.For(t)
		l.Eventually(2*time.Minute, "all issuers are refused", func() (bool, string) {
			log := l.Kubectl(l.Seed(), "-n", "shoot--local--hooked", "logs", "deployment/kube-apiserver")
			for _, host := range issuerHosts {
				if !refuses(log, "https://"+host+":"+server.port) {
					return false, host + " is not refused"
				}
			}
			return true, ""
		})
	})
	requests(t, l, server, l.Shoot("garden-local", "hooked"))
}

// issuerHosts lead to this machine.
var issuerHosts = []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"}

// issuers is a configuration of issuers of tokens on a port of this machine.
func issuers(port string) string {
	text := `apiVersion: v1
kind: ConfigMap
metadata: {name: issuers, namespace: garden-local}
data:
  config.yaml: |
    apiVersion: apiserver.config.k8s.io/v1
    kind: AuthenticationConfiguration
    jwt:
`
	for _, host := range issuerHosts {
		text += fmt.Sprintf("    - {issuer: {url: 'https://%s:%s', audiences: [a]}, claimMappings: {username: {claim: sub, prefix: ''}}}\n", host, port)
	}
	return text
}

// refuses reports whether a line of the log tells that requests to an address are refused.
func refuses(log, address string) bool {
	for line := range strings.Lines(log) {
		if strings.Contains(line, address) && strings.Contains(line, refusal) {
			return true
		}
	}
	return false
}

// requests tries to reach this machine by requests of a shoot's API server.
func requests(t *testing.T, l *framework.Landscape, server *listener, shoot string) {
	for name, host := range map[string]string{"loopback": "127.0.0.1", "a-name": "localhost", "mapped": "[::ffff:127.0.0.1]", "unspecified": "0.0.0.0"} {
		t.Run("a webhook does not reach this machine by "+name, func(t *testing.T) {
			l := l.For(t)
			l.Kubectl(shoot, "create", "-f", l.File(name+".yaml", fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: %[1]s}
webhooks:
- name: %[1]s.example.org
  clientConfig: {url: 'https://%[2]s:%[3]s/'}
  rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps], scope: Namespaced}]
  objectSelector: {matchLabels: {hook: %[1]s}}
  failurePolicy: Fail
  sideEffects: None
  admissionReviewVersions: [v1]
`, name, host, server.port)))
			l.Eventually(time.Minute, "the webhook is called", func() (bool, string) {
				result := l.TryKubectl(shoot, "create", "-f", l.File(name+"-object.yaml", fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-, namespace: default, labels: {hook: %s}}\n", name)))
				return strings.Contains(result.Stderr, refusal), result.Stderr
			})
		})
	}
	t.Run("an aggregated server is not on this machine", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(shoot, "create", "-f", l.File("aggregated.yaml", fmt.Sprintf(`apiVersion: v1
kind: Service
metadata: {name: outside, namespace: default}
spec: {type: ExternalName, externalName: localhost}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.outside.example.org}
spec: {group: outside.example.org, version: v1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {name: outside, namespace: default, port: %s}}
`, server.port)))
		l.Eventually(time.Minute, "the server is not available", func() (bool, string) {
			status := l.Kubectl(shoot, "get", "apiservice", "v1.outside.example.org", "-o", "jsonpath={.status.conditions[0].message}")
			return strings.Contains(status, refusal), status
		})
	})
	t.Run("APP-19 a webhook reaches no other port of a component of the control plane", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(shoot, "create", "-f", l.File("port.yaml", `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: port}
webhooks:
- name: port.example.org
  clientConfig: {url: 'https://gardener-resource-manager.shoot--local--hooked.svc:8081/'}
  rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps], scope: Namespaced}]
  objectSelector: {matchLabels: {hook: port}}
  failurePolicy: Fail
  sideEffects: None
  admissionReviewVersions: [v1]
`))
		l.Eventually(time.Minute, "the webhook is called", func() (bool, string) {
			result := l.TryKubectl(shoot, "create", "-f", l.File("port-object.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-, namespace: default, labels: {hook: port}}\n"))
			return strings.Contains(result.Stderr, refusal), result.Stderr
		})
	})
	t.Run("Gardener's own webhooks are reached", func(t *testing.T) {
		l := l.For(t)
		url := l.Kubectl(shoot, "get", "mutatingwebhookconfiguration", "gardener-resource-manager-shoot", "-o", "jsonpath={.webhooks[*].clientConfig.url} {.webhooks[*].failurePolicy}")
		if !strings.Contains(url, "https://gardener-resource-manager.shoot--local--hooked.svc:") {
			t.Errorf("webhooks: %s", url)
		}
	})
	if n := server.reached.Load(); n > 0 {
		t.Errorf("this machine was reached %d times", n)
	}
}
