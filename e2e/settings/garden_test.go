package settings

import (
	"encoding/base64"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

const shootAccess = `apiVersion: v1
kind: Secret
metadata:
  name: shoot-access-virtual-garden
  namespace: garden
  labels: {resources.gardener.cloud/purpose: token-requestor, resources.gardener.cloud/class: shoot}
  annotations:
    serviceaccount.resources.gardener.cloud/name: virtual-garden-user
    serviceaccount.resources.gardener.cloud/namespace: kube-system
    serviceaccount.resources.gardener.cloud/token-expiration-duration: 3h
`

// virtualGardenAccess makes the user of shootAccess an administrator of the virtual garden.
const virtualGardenAccess = `apiVersion: v1
kind: Secret
metadata: {name: virtual-garden-access, namespace: garden}
stringData:
  binding.yaml: |
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRoleBinding
    metadata: {name: virtual-garden-user}
    roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
    subjects: [{kind: ServiceAccount, name: virtual-garden-user, namespace: kube-system}]
---
apiVersion: resources.gardener.cloud/v1alpha1
kind: ManagedResource
metadata: {name: virtual-garden-access, namespace: garden}
spec: {secretRefs: [{name: virtual-garden-access}]}
`

// brokenResource is applied to the runtime cluster, which does not know the kind.
const brokenResource = `apiVersion: v1
kind: Secret
metadata: {name: broken, namespace: garden}
stringData: {object.yaml: '{"apiVersion":"unknown.example.org/v1","kind":"Nothing","metadata":{"name":"broken","namespace":"garden"}}'}
---
apiVersion: resources.gardener.cloud/v1alpha1
kind: ManagedResource
metadata: {name: broken, namespace: garden}
spec: {class: seed, secretRefs: [{name: broken}]}
`

// staticToken asks for a token that never expires, as it was done before Kubernetes 1.24.
const staticToken = `apiVersion: v1
kind: Namespace
metadata: {name: static}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: wanting, namespace: static}
---
apiVersion: v1
kind: Secret
metadata: {name: wanted, namespace: static, annotations: {kubernetes.io/service-account.name: wanting}}
type: kubernetes.io/service-account-token
`

// referring is what a Garden has below spec.virtualCluster when it refers to everything that is protected.
const referring = `{"etcd":{"main":{"backup":{"provider":"local","bucketName":"example","secretRef":{"name":"ref-backup"}}}},
"kubernetes":{"kubeAPIServer":{
"admissionPlugins":[{"name":"ImagePolicyWebhook","kubeconfigSecretName":"ref-kube-plugin"}],"auditWebhook":{"kubeconfigSecretName":"ref-kube-audit"},
"auditConfig":{"auditPolicy":{"configMapRef":{"name":"ref-kube-policy"}}},"authentication":{"webhook":{"kubeconfigSecretName":"ref-kube-authentication"}},
"sni":{"secretName":"ref-kube-sni"}}},
"gardener":{"gardenerAPIServer":{
"admissionPlugins":[{"name":"ShootDNS","kubeconfigSecretName":"ref-gardener-plugin"}],"auditWebhook":{"kubeconfigSecretName":"ref-gardener-audit"},
"auditConfig":{"auditPolicy":{"configMapRef":{"name":"ref-gardener-policy"}}}}}}`

// references makes the Garden refer to objects, and takes the references away again.
func references(t *testing.T, l *framework.Landscape, name string) {
	seed, manifest := l.Seed(), ""
	policies := []string{"ref-kube-policy", "ref-gardener-policy"}
	secrets := []string{"ref-backup", "ref-kube-plugin", "ref-kube-audit", "ref-kube-authentication", "ref-kube-sni", "ref-gardener-plugin", "ref-gardener-audit"}
	for _, secret := range secrets {
		manifest += "{apiVersion: v1, kind: Secret, metadata: {name: " + secret + ", namespace: garden}}\n---\n"
	}
	for _, policy := range policies {
		manifest += "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + policy + ", namespace: garden}}\n---\n"
	}
	l.Kubectl(seed, "apply", "-f", l.File("references.yaml", manifest))
	l.Kubectl(seed, "patch", "garden", name, "--type=merge", "-p", `{"spec":{"virtualCluster":`+referring+`}}`)
	var objects []string
	for _, secret := range secrets {
		objects = append(objects, "secret/"+secret)
	}
	for _, policy := range policies {
		objects = append(objects, "configmap/"+policy)
	}
	finalizers := func(objects []string) framework.Result {
		return l.TryKubectl(seed, append([]string{"-n", "garden", "get", "-o", "jsonpath={.items[*].metadata.finalizers[0]}"}, objects...)...)
	}
	const finalizer = "gardener.cloud/reference-protection"
	l.Eventually(time.Minute, "all objects are protected", func() (bool, string) {
		r := finalizers(objects)
		return strings.Count(r.Stdout, finalizer) == len(secrets)+len(policies), r.Stdout + r.Stderr
	})
	l.Kubectl(seed, "-n", "garden", "delete", "secret", "ref-backup", "--wait=false")
	if left := l.Kubectl(seed, "-n", "garden", "get", "secret", "ref-backup", "-o", "jsonpath={.metadata.deletionTimestamp}"); left == "" {
		t.Error("the Secret of the backup is not being deleted")
	}
	l.Kubectl(seed, "patch", "garden", name, "--type=merge", "-p",
		`{"spec":{"virtualCluster":{"etcd":null,"kubernetes":{"kubeAPIServer":null},"gardener":{"gardenerAPIServer":null}}}}`)
	l.Eventually(time.Minute, "the Secret that waited is gone, and nothing is protected", func() (bool, string) {
		backup := l.TryKubectl(seed, "-n", "garden", "get", "secret", "ref-backup", "--ignore-not-found", "-o", "name")
		rest := finalizers(objects[1:])
		return backup.Stdout == "" && rest.Code == 0 && !strings.Contains(rest.Stdout, finalizer), backup.Stdout + rest.Stdout + rest.Stderr
	})
	l.Kubectl(seed, append([]string{"-n", "garden", "delete"}, objects[1:]...)...)
}

// theGarden tests the Garden of a landscape. At its end the Garden is gone until the landscape starts again.
func theGarden(t *testing.T, l *framework.Landscape) {
	seed := l.Seed()
	name := strings.TrimSpace(l.Kubectl(seed, "get", "garden", "-o", "jsonpath={.items[*].metadata.name}"))
	until := func(t *testing.T, what string, want string, args ...string) {
		t.Helper()
		l.Eventually(time.Minute, what, func() (bool, string) {
			r := l.TryKubectl(seed, args...)
			return strings.Contains(r.Stdout, want), r.Stdout + r.Stderr
		})
	}
	t.Run("OPR-8 OPR-16 OPR-18 the Garden of the landscape is reconciled, and its conditions hold", func(t *testing.T) {
		until(t, "the Garden is reconciled", "Succeeded   True   True   True   True   True", "get", "garden", name, "-o",
			`go-template={{.status.lastOperation.state}}{{range .status.conditions}}   {{.status}}{{end}}`)
		if line := l.Kubectl(seed, "get", "garden", name); !strings.Contains(line, "RECONCILED") || !strings.Contains(line, "Succeeded") {
			t.Errorf("columns %q", line)
		}
	})
	t.Run("OPR-1 a second Garden is refused", func(t *testing.T) {
		second := `{"apiVersion":"operator.gardener.cloud/v1alpha1","kind":"Garden","metadata":{"name":"second"},"spec":` +
			l.Kubectl(seed, "get", "garden", name, "-o", "jsonpath={.spec}") + "}"
		if r := l.TryKubectl(seed, "create", "-f", l.File("second.yaml", second)); r.Code == 0 || !strings.Contains(r.Stderr, "there is a Garden already") {
			t.Errorf("code %d: %s", r.Code, r.Stderr)
		}
	})
	for what, tc := range map[string]struct{ patch, want string }{
		"OPR-10 a version that nothing runs is refused": {`{"spec":{"virtualCluster":{"kubernetes":{"version":"1.30.0"}}}}`, "spec.virtualCluster.kubernetes.version"},
		"OPR-13 a Garden without a domain is refused":   {`{"spec":{"virtualCluster":{"dns":{"domains":null}}}}`, "domain"},
		"OPR-14 another range of Services is refused":   {`{"spec":{"virtualCluster":{"networking":{"services":["10.99.0.0/16","100.64.0.0/16"]}}}}`, "spec.virtualCluster.networking.services[0]"},
		"OPR-14 a Garden without Services is refused":   {`{"spec":{"virtualCluster":{"networking":{"services":null}}}}`, "spec.virtualCluster.networking.services"},
		"OPR-4 a zone cannot be taken away":             {`{"spec":{"runtimeCluster":{"provider":{"zones":[]}}}}`, "zones can only be added"},
	} {
		t.Run(what, func(t *testing.T) {
			if r := l.TryKubectl(seed, "patch", "garden", name, "--type=merge", "-p", tc.patch); r.Code == 0 || !strings.Contains(r.Stderr, tc.want) {
				t.Errorf("code %d: %s", r.Code, r.Stderr)
			}
		})
	}
	t.Run("OPR-14 Services of the virtual garden get addresses from the range of the Garden", func(t *testing.T) {
		text := strings.TrimSpace(l.Kubectl(seed, "get", "garden", name, "-o", "jsonpath={.spec.virtualCluster.networking.services[*]}"))
		services, err := netip.ParsePrefix(text)
		if err != nil {
			t.Fatal(err)
		}
		l.Kubectl(l.Garden(), "-n", "default", "create", "service", "clusterip", "addressed", "--tcp=80")
		address, err := netip.ParseAddr(l.Kubectl(l.Garden(), "-n", "default", "get", "service", "addressed", "-o", "jsonpath={.spec.clusterIP}"))
		if err != nil || !services.Contains(address) {
			t.Errorf("address %s of range %s, %v", address, services, err)
		}
		l.Kubectl(l.Garden(), "-n", "default", "delete", "service", "addressed")
	})
	t.Run("OPR-12 OPR-38 the Secret gardener is a kubeconfig of the virtual garden, and comes back whole", func(t *testing.T) {
		until(t, "the generic kubeconfig is named", "generic-token-kubeconfig-", "get", "garden", name, "-o", "jsonpath={.metadata.annotations}")
		l.Kubectl(seed, "-n", "garden", "patch", "secret", "gardener", "--type=merge", "-p", `{"data":{"kubeconfig":"eA=="},"metadata":{"labels":null}}`)
		l.Eventually(time.Minute, "the kubeconfig works again", func() (bool, string) {
			text, err := base64.StdEncoding.DecodeString(l.Kubectl(seed, "-n", "garden", "get", "secret", "gardener", "-o", "jsonpath={.data.kubeconfig}"))
			if err != nil {
				return false, err.Error()
			}
			r := l.TryKubectl(l.File("gardener.yaml", string(text)), "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
			return r.Stdout == "system:serviceaccount:kube-system:gardener", r.Stdout + r.Stderr
		})
	})
	t.Run("OPR-35 a Secret with the labels gets a token of the virtual garden", func(t *testing.T) {
		l.Kubectl(seed, "apply", "-f", l.File("shoot-access.yaml", shootAccess))
		get := []string{"-n", "garden", "get", "secret", "shoot-access-virtual-garden", "-o", "go-template={{.data.token | base64decode}}"}
		until(t, "the token is there", "ey", get...)
		may := func() framework.Result {
			config := l.File("virtual.yaml", withToken(t, l.Gardener("kubeconfig", "garden"), l.Kubectl(seed, get...)))
			return l.TryKubectl(config, "auth", "can-i", "delete", "secrets", "--all-namespaces")
		}
		if r := may(); strings.TrimSpace(r.Stdout) != "no" {
			t.Errorf("without a binding: code %d, %s%s", r.Code, r.Stdout, r.Stderr)
		}
		l.Kubectl(seed, "apply", "-f", l.File("virtual-garden-access.yaml", virtualGardenAccess))
		l.Eventually(time.Minute, "the ManagedResource makes the user an administrator", func() (bool, string) {
			r := may()
			return strings.TrimSpace(r.Stdout) == "yes", r.Stdout + r.Stderr
		})
		l.Kubectl(seed, "-n", "garden", "delete", "managedresource", "virtual-garden-access")
		l.Eventually(time.Minute, "without it the user is none", func() (bool, string) {
			r := may()
			return strings.TrimSpace(r.Stdout) == "no", r.Stdout + r.Stderr
		})
		l.Kubectl(seed, "-n", "garden", "delete", "secret", "virtual-garden-access", "shoot-access-virtual-garden")
	})
	t.Run("OPR-38 the token of the Secret gardener is renewed in time", func(t *testing.T) {
		get := []string{"-n", "garden", "get", "secret", "gardener", "-o", "jsonpath={.data.kubeconfig}"}
		before := l.Kubectl(seed, get...)
		l.Kubectl(seed, "-n", "garden", "annotate", "secret", "gardener", "--overwrite", "serviceaccount.resources.gardener.cloud/token-renew-timestamp=2026-01-01T00:00:00Z")
		l.Eventually(time.Minute, "another kubeconfig that works", func() (bool, string) {
			text, err := base64.StdEncoding.DecodeString(l.Kubectl(seed, get...))
			if err != nil || base64.StdEncoding.EncodeToString(text) == before {
				return false, "it is the same"
			}
			r := l.TryKubectl(l.File("gardener.yaml", string(text)), "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
			return r.Stdout == "system:serviceaccount:kube-system:gardener", r.Stdout + r.Stderr
		})
	})
	t.Run("OPR-13 the API server is known in all domains of the Garden", func(t *testing.T) {
		in := func(domain string) framework.Result {
			return l.TryKubectl(l.Garden(), "--tls-server-name=api."+domain, "get", "namespace", "garden", "-o", "name")
		}
		first := strings.TrimSpace(l.Kubectl(seed, "get", "garden", name, "-o", "jsonpath={.spec.virtualCluster.dns.domains[*].name}"))
		domains := func(more string) string {
			return `{"spec":{"virtualCluster":{"dns":{"domains":[{"name":"` + first + `"}` + more + `]}}}}`
		}
		if r := in("old.example.org"); r.Code == 0 {
			t.Errorf("a domain is served that the Garden does not have: %s", r.Stdout)
		}
		l.Kubectl(seed, "patch", "garden", name, "--type=merge", "-p", domains(`,{"name":"old.example.org"}`))
		l.Eventually(time.Minute, "the further domain is served", func() (bool, string) { r := in("old.example.org"); return r.Code == 0, r.Stderr })
		if r := in(first); r.Code != 0 {
			t.Errorf("the first domain is not served: %s", r.Stderr)
		}
		l.Kubectl(seed, "patch", "garden", name, "--type=merge", "-p", domains(""))
		l.Eventually(time.Minute, "the further domain is served no longer", func() (bool, string) { r := in("old.example.org"); return r.Code != 0, r.Stdout })
	})
	t.Run("OPR-5 the authority of the runtime cluster signs for the webhooks there", func(t *testing.T) { runtimeAuthority(t, l.For(t)) })
	t.Run("GLT-15 OPR-28 the gardenlet deploys no second resource manager and druid beside those of the process", func(t *testing.T) {
		deployed := l.Kubectl(seed, "-n", "garden", "get", "deployments,statefulsets", "-o", "name")
		for _, twice := range []string{"gardener-resource-manager", "druid", "vpa-", "istio"} {
			if strings.Contains(deployed, twice) {
				t.Errorf("%q is deployed: %s", twice, deployed)
			}
		}
	})
	t.Run("OPR-21 OPR-23 an API server that is stopped is told after the threshold, and that it is back", func(t *testing.T) {
		condition := []string{"get", "garden", name, "-o", `jsonpath={.status.conditions[?(@.type=="VirtualGardenAPIServerAvailable")]}`}
		seen := l.StartKubectl(seed, "", "get", "garden", name, "-w", "-o",
			`go-template={{range .status.conditions}}{{if eq .type "VirtualGardenAPIServerAvailable"}}{{.status}}, {{.reason}}{{"\n"}}{{end}}{{end}}`)
		l.Gardener("part", "stop", "garden-apiserver")
		seen.Says(time.Minute, "Progressing, VirtualGardenAPIServerDown")
		seen.Says(time.Minute, "False, VirtualGardenAPIServerDown")
		l.Gardener("part", "start", "garden-apiserver")
		until(t, "the condition holds again", `"status":"True"`, condition...)
	})
	t.Run("OPR-20 a component that is stopped is told, and comes back", func(t *testing.T) {
		virtual := []string{"get", "garden", name, "-o", `jsonpath={.status.conditions[?(@.type=="VirtualComponentsHealthy")]}`}
		l.Gardener("part", "stop", "gardener-scheduler")
		until(t, "the condition names the scheduler", "gardener-scheduler", virtual...)
		l.Gardener("part", "start", "gardener-scheduler")
		until(t, "the condition holds again", `"status":"True"`, virtual...)
	})
	t.Run("OPR-19 a ManagedResource of the runtime cluster that cannot be applied is told", func(t *testing.T) {
		condition := []string{"get", "garden", name, "-o", `jsonpath={.status.conditions[?(@.type=="RuntimeComponentsHealthy")]}`}
		l.Kubectl(seed, "apply", "-f", l.File("broken.yaml", brokenResource))
		until(t, "the condition names the ManagedResource", `"status":"False"`, condition...)
		if got := l.Kubectl(seed, condition...); !strings.Contains(got, "broken") {
			t.Errorf("condition %s", got)
		}
		l.Kubectl(seed, "-n", "garden", "delete", "managedresource", "broken")
		until(t, "the condition holds again", `"status":"True"`, condition...)
	})
	t.Run("OPR-24 OPR-25 all objects that the Garden refers to are protected until it does so no longer", func(t *testing.T) { references(t, l.For(t), name) })
	t.Run("OPR-11 the garden makes no static tokens", func(t *testing.T) {
		garden := l.Garden()
		l.Kubectl(garden, "apply", "-f", l.File("static.yaml", staticToken))
		l.Eventually(time.Minute, "the controllers of the garden act", func() (bool, string) {
			r := l.TryKubectl(garden, "-n", "static", "get", "configmap,serviceaccount", "-o", "name")
			return strings.Contains(r.Stdout, "configmap/kube-root-ca.crt") && strings.Contains(r.Stdout, "serviceaccount/default"), r.Stdout + r.Stderr
		})
		if data := l.Kubectl(garden, "-n", "static", "get", "secrets", "-o", "go-template={{range .items}}{{.metadata.name}}={{.data}} {{end}}"); data != "wanted=map[] " && data != "wanted=<no value> " {
			t.Errorf("Secrets %q", data)
		}
		l.Kubectl(garden, "delete", "namespace", "static", "--wait=false")
	})
	t.Run("its credentials are rotated", func(t *testing.T) { rotateGarden(t, l.For(t), name) })
	t.Run("OPR-27 OPR-39 a confirmed deletion takes the access away", func(t *testing.T) {
		if r := l.TryKubectl(seed, "delete", "garden", name); r.Code == 0 || !strings.Contains(r.Stderr, "confirmation.gardener.cloud/deletion=true") {
			t.Fatalf("code %d: %s", r.Code, r.Stderr)
		}
		l.Kubectl(seed, "annotate", "garden", name, "confirmation.gardener.cloud/deletion=true")
		l.Kubectl(seed, "delete", "garden", name, "--timeout=1m")
		if left := l.Kubectl(seed, "-n", "garden", "get", "secrets,managedresources", "-o", "name"); strings.Contains(left, "secret/gardener\n") || strings.Contains(left, "generic-token-kubeconfig") || strings.Contains(left, "garden-access") {
			t.Errorf("left behind: %s", left)
		}
	})
}
