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
	withOurs = `{structuredAuthentication: {configMapName: issuers}, structuredAuthorization: {configMapName: authorizers, kubeconfigs: [{authorizerName: team, secretName: authorizer}]}, admissionPlugins: [{name: MutatingAdmissionWebhook, kubeconfigSecretName: hooks, config: {apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: /etc/passwd}}]}`
)

// TestHandedIn tries what a user can hand in with a Shoot and in a shoot.
func TestHandedIn(t *testing.T) {
	l := framework.New(t)
	allowPrivateNetwork(t, l)
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
	domainsOfOthers(t, l)
	server := newListener(t)
	for _, text := range []string{issuers(server.port), authorizer(server.port), handedIn("hooked", withOurs, "null")} {
		if made := create(text); made.Code != 0 {
			t.Fatal(made.Stderr)
		}
	}
	l.Gardener("shoot", "wait", "hooked", "-n", "garden-local", "--timeout=10m") // with a kubeconfig for a webhook plugin
	t.Run("APP-19 an issuer of tokens is neither on this machine nor in a private network", func(t *testing.T) {
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
	t.Run("APP-19 a webhook that authorizes is not on this machine", func(t *testing.T) {
		l, shoot := l.For(t), l.Shoot("garden-local", "hooked")
		l.Eventually(2*time.Minute, "the webhook is refused", func() (bool, string) {
			answer := l.TryKubectl(shoot, "auth", "can-i", "list", "secrets", "--as", "stranger")
			log := l.Kubectl(l.Seed(), "-n", "shoot--local--hooked", "logs", "deployment/kube-apiserver")
			return refuses(log, "/authorize"), answer.Stdout + answer.Stderr
		})
	})
	requests(t, l, server, l.Shoot("garden-local", "hooked"))
	t.Run("APP-19 a webhook may be in a private network that the operator allows", func(t *testing.T) {
		inPrivateNetwork(t, l.For(t), l.Shoot("garden-local", "hooked"))
	})
}

// authorizer is a webhook on a port of this machine that authorizes requests.
func authorizer(port string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: ConfigMap
metadata: {name: authorizers, namespace: garden-local}
data:
  config.yaml: |
    apiVersion: apiserver.config.k8s.io/v1
    kind: AuthorizationConfiguration
    authorizers:
    - {type: Webhook, name: team, webhook: {timeout: 3s, failurePolicy: NoOpinion, subjectAccessReviewVersion: v1, matchConditionSubjectAccessReviewVersion: v1}}
---
apiVersion: v1
kind: Secret
metadata: {name: authorizer, namespace: garden-local}
stringData:
  kubeconfig: |
    apiVersion: v1
    kind: Config
    clusters: [{name: team, cluster: {server: 'https://localhost:%s/authorize'}}]
    users: [{name: team, user: {token: t}}]
    contexts: [{name: team, context: {cluster: team, user: team}}]
    current-context: team
`, port)
}

// issuerHosts lead to this machine, and into a private network.
var issuerHosts = []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "192.168.77.77"}

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

// refuses reports whether a line of the log says that requests to an address are refused.
func refuses(log, address string) bool {
	for line := range strings.Lines(log) {
		if strings.Contains(line, address) && (strings.Contains(line, refusal) || strings.Contains(line, privateRefusal)) {
			return true
		}
	}
	return false
}

// ownWebhooks creates pods in kube-system, which the webhooks of the shoot's resource manager change, and may not exist without their
// answer. The pods are not stored.
func ownWebhooks(t *testing.T, l *framework.Landscape, shoot string) {
	const selector = "worker.gardener.cloud/system-components"
	create := func(labels string) framework.Result {
		file := l.File("own-webhooks.yaml", fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata: {name: own-webhooks, namespace: kube-system, labels: {%s}}
spec: {automountServiceAccountToken: false, containers: [{name: c, image: i}]}
`, labels))
		return l.TryKubectl(shoot, "create", "--dry-run=server", "-o", "jsonpath={.spec.nodeSelector}", "-f", file)
	}
	l.Eventually(time.Minute, "a pod gets a selector from the webhook", func() (bool, string) {
		r := create("a: b")
		return r.Code == 0 && strings.Contains(r.Stdout, selector), r.Stdout + r.Stderr
	})
	if r := create("system-components-config.resources.gardener.cloud/skip: 'true'"); r.Code != 0 || strings.Contains(r.Stdout, selector) {
		t.Errorf("a pod that the webhook leaves out: code %d, %s", r.Code, r.Stdout+r.Stderr)
	}
	replicas := func(n string) {
		l.Kubectl(l.Seed(), "-n", "shoot--local--hooked", "scale", "deployment", "gardener-resource-manager", "--replicas="+n)
	}
	replicas("0")
	l.Eventually(2*time.Minute, "a pod is refused while the webhook does not answer", func() (bool, string) {
		r := create("a: b")
		return r.Code != 0 && strings.Contains(r.Stderr, "failed calling webhook"), r.Stdout + r.Stderr
	})
	replicas("1")
	l.Eventually(2*time.Minute, "the webhook answers again", func() (bool, string) {
		r := create("a: b")
		return r.Code == 0, r.Stderr
	})
}

// requests tries to reach this machine and private networks by requests of a shoot's API server.
func requests(t *testing.T, l *framework.Landscape, server *listener, shoot string) {
	for name, try := range map[string]struct{ host, want string }{
		"loopback": {"127.0.0.1", refusal}, "a-name": {"localhost", refusal}, "mapped": {"[::ffff:127.0.0.1]", refusal}, "unspecified": {"0.0.0.0", refusal},
		"link-local": {"169.254.169.254", refusal},
		"private-10": {"10.11.12.13", privateRefusal}, "private-172": {"172.16.0.1", privateRefusal}, "private-192": {"192.168.77.77", privateRefusal},
		"shared": {"100.127.0.1", privateRefusal}, "unique-local": {"[fd12::1]", privateRefusal},
	} {
		t.Run("APP-19 a webhook reaches neither this machine nor private networks by "+name, func(t *testing.T) {
			l := l.For(t)
			url := fmt.Sprintf("https://%s:%s/", try.host, server.port)
			call := webhookAt(l, shoot, name, url)
			l.Eventually(time.Minute, "the webhook is called", func() (bool, string) {
				said := call()
				return strings.Contains(said, try.want), said
			})
		})
	}
	for name, try := range map[string]struct{ host, want string }{"outside": {"localhost", refusal}, "neighbour": {"192.168.77.77", privateRefusal}} {
		t.Run("APP-19 an aggregated server is neither on this machine nor in a private network: "+name, func(t *testing.T) {
			l := l.For(t)
			l.Kubectl(shoot, "create", "-f", l.File("aggregated-"+name+".yaml", fmt.Sprintf(`apiVersion: v1
kind: Service
metadata: {name: %[1]s, namespace: default}
spec: {type: ExternalName, externalName: %[2]s}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.%[1]s.example.org}
spec: {group: %[1]s.example.org, version: v1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {name: %[1]s, namespace: default, port: %[3]s}}
`, name, try.host, server.port)))
			l.Eventually(time.Minute, "the server is not available", func() (bool, string) {
				status := l.Kubectl(shoot, "get", "apiservice", "v1."+name+".example.org", "-o", "jsonpath={.status.conditions[0].message}")
				return strings.Contains(status, try.want), status
			})
		})
	}
	t.Run("APP-19 a converter of custom resources is not on this machine", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(shoot, "create", "-f", l.File("converted.yaml", fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.converted.example.org}
spec:
  group: converted.example.org
  names: {kind: Thing, plural: things, singular: thing}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
  conversion: {strategy: Webhook, webhook: {clientConfig: {url: 'https://127.0.0.1:%s/'}, conversionReviewVersions: [v1]}}
`, server.port)))
		object := l.File("thing.yaml", "{apiVersion: converted.example.org/v1, kind: Thing, metadata: {name: a, namespace: default}}")
		l.Eventually(time.Minute, "an object is stored", func() (bool, string) {
			r := l.TryKubectl(shoot, "apply", "-f", object)
			return r.Code == 0, r.Stderr
		})
		l.Eventually(time.Minute, "the converter is called", func() (bool, string) {
			said := l.TryKubectl(shoot, "get", "--raw", "/apis/converted.example.org/v2/namespaces/default/things/a").Stderr
			return strings.Contains(said, refusal), said
		})
		l.Kubectl(shoot, "delete", "crd", "things.converted.example.org", "--wait=false")
	})
	t.Run("APP-19 a webhook reaches no other port of a component of the control plane", func(t *testing.T) {
		l := l.For(t)
		call := webhookAt(l, shoot, "port", "https://gardener-resource-manager.shoot--local--hooked.svc:8081/")
		l.Eventually(time.Minute, "the webhook is called", func() (bool, string) {
			said := call()
			return strings.Contains(said, refusal), said
		})
	})
	t.Run("APP-19 Gardener's own webhooks are reached and answer", func(t *testing.T) { ownWebhooks(t, l.For(t), shoot) })
	if n := server.reached.Load(); n > 0 {
		t.Errorf("this machine was reached %d times", n)
	}
}
