package crds_test

import (
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

const (
	extensionsGroup = "extensions.gardener.cloud/v1alpha1"
	operatorGroup   = "operator.gardener.cloud/v1alpha1"
	druidGroup      = "druid.gardener.cloud/v1alpha1"

	common = `{type: local, region: r, secretRef: {name: s, namespace: ns}, `
	garden = `{
		runtimeCluster: {
			ingress: {domains: [{name: ingress.example.org}], controller: {kind: nginx}},
			networking: {ipFamilies: [IPv4], nodes: [10.0.0.0/16], pods: [10.1.0.0/16], services: [10.2.0.0/16]},
			provider: {zones: [a, b]}},
		virtualCluster: {
			controlPlane: {highAvailability: {}},
			dns: {domains: [{name: one.example.org}, {name: two.example.org}]},
			etcd: {main: {backup: {provider: local, bucketName: b, region: r, secretRef: {name: s}}, storage: {className: fast}}},
			gardener: {clusterIdentity: me, gardenerAPIServer: {admissionPlugins: [{name: P, config: {any: thing}}]}},
			kubernetes: {version: 1.36.3, kubeAPIServer: {featureGates: {A: true}, auditWebhook: {kubeconfigSecretName: s}}},
			maintenance: {timeWindow: {begin: 220000+0100, end: 230000+0100}},
			networking: {services: [100.64.0.0/13]}}}`
)

// TestRules changes one field of an object that is accepted and expects the message of the field's rule.
func TestRules(t *testing.T) {
	c, err := client.New(env.Config, client.Options{Scheme: runtime.NewScheme()})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		version, kind, spec string
		changes             map[string]string // path=new value → part of the message; an empty one means accepted
	}{
		{extensionsGroup, "BackupBucket", common + `}`, map[string]string{"type=x": "type is immutable", "region=x": "region is immutable", "class=seed": "class is immutable", "class=shoot": ""}},
		{extensionsGroup, "BackupEntry", common + `bucketName: b}`, map[string]string{"region=x": "region is immutable", "bucketName=x": "bucketName is immutable"}},
		{extensionsGroup, "Bastion", `{type: local, userData: YQ==, ingress: []}`, map[string]string{"userData=Yg==": "userData is immutable", "type=x": "type is immutable"}},
		{extensionsGroup, "ContainerRuntime", `{type: gvisor, binaryPath: /b, workerPool: {name: a, selector: {}}}`, map[string]string{"type=x": "type is immutable", "binaryPath=/c": ""}},
		{extensionsGroup, "ControlPlane", common + `}`, map[string]string{"region=x": "region is immutable", "purpose=exposure": "purpose is immutable", "purpose=normal": "", "class=garden": "class is immutable"}},
		{extensionsGroup, "DNSRecord", common + `name: a.example.org, recordType: A, values: [127.0.0.1]}`, map[string]string{"name=b": "name is immutable", "recordType=TXT": "recordType is immutable", "recordType=MX": "Unsupported value", "ttl=60": ""}},
		{extensionsGroup, "Extension", `{type: local}`, map[string]string{"type=x": "type is immutable", "class=all": "Unsupported value"}},
		{extensionsGroup, "Infrastructure", common + `}`, map[string]string{"region=x": "region is immutable"}},
		{extensionsGroup, "Network", `{type: local, podCIDR: 10.0.0.0/8, serviceCIDR: 11.0.0.0/8}`, map[string]string{"podCIDR=x": "podCIDR is immutable", "serviceCIDR=x": "serviceCIDR is immutable", "ipFamilies=[IPv5]": "Unsupported value"}},
		{
			extensionsGroup, "OperatingSystemConfig", `{type: local, purpose: reconcile, criConfig: {name: containerd}, files: [{path: /a, content: {inline: {data: x, encoding: ""}}}]}`,
			map[string]string{
				"purpose=provision":               "purpose is immutable",
				"criConfig={name: docker}":        "Unsupported value",
				"files=[{path: /a, content: {}}]": "exactly one of inline, secretRef and imageRef is required",
				"files=[{path: /a, content: {imageRef: {image: i, filePathInImage: /f}, secretRef: {name: s, dataKey: d}}}]": "exactly one of inline, secretRef and imageRef is required",
				"files=[{path: /b, content: {imageRef: {image: i, filePathInImage: /f}}}]":                                   "",
				"units=[{name: a}, {name: a}]": "Duplicate value",
			},
		},
		{extensionsGroup, "Worker", common + `pools: []}`, map[string]string{
			"region=x": "region is immutable", "type=x": "type is immutable",
			"pools=[{name: a, machineType: m, minimum: 1, maximum: 1, maxSurge: 1, maxUnavailable: 0}, {name: a, machineType: m, minimum: 1, maximum: 1, maxSurge: 1, maxUnavailable: 0}]": "Duplicate value",
		}},
		{extensionsGroup, "SelfHostedShootExposure", `{type: local, port: 443, endpoints: [{nodeName: a, addresses: []}]}`, map[string]string{
			"type=x": "type is immutable", "class=garden": "class is immutable", "port=0": "greater than or equal to 1", "port=6443": "",
			"endpoints=[{nodeName: a, addresses: []}, {nodeName: a, addresses: []}]": "Duplicate value",
			"endpoints=[{addresses: []}]":                                            "Required value",
		}},
		{druidGroup, "EtcdOpsTask", `{etcdName: etcd-main, config: {onDemandSnapshot: {type: full}}}`, map[string]string{
			"etcdName=etcd-events":                          "etcdName is immutable",
			"ttlSecondsAfterFinished=60":                    "ttlSecondsAfterFinished is immutable",
			"ttlSecondsAfterFinished=3600":                  "",
			"config.onDemandSnapshot.type=delta":            "config is immutable",
			"config.onDemandSnapshot.type=all":              "Unsupported value",
			"config.onDemandSnapshot.timeoutSecondsFull=1":  "greater than or equal to 120",
			"config.onDemandSnapshot.timeoutSecondsDelta=1": "greater than or equal to 10",
			"config={}": "at least 1 properties",
		}},
		{druidGroup, "Etcd", `{labels: {}, etcd: {}, backup: {store: {prefix: p}}, replicas: 1}`, map[string]string{
			"replicas=-1": "should be greater than or equal to 0",
			"backup={store: {prefix: p, container: " + strings.Repeat("x", 64) + "}}": "may not be more than 63",
			"etcd={metrics: all}":                                             "Unsupported value",
			"etcd={backendBboltFreelistType: list}":                           "Unsupported value",
			"etcd={additionalAdvertisePeerURLs: [{memberName: a, urls: []}]}": "should have at least 1 items",
			"memberNamePrefix=" + strings.Repeat("x", 64):                     "may not be more than 63",
		}},
		{operatorGroup, "Garden", garden, map[string]string{
			"runtimeCluster.networking.ipFamilies=[IPv6]":                                                           "ipFamilies are immutable",
			"runtimeCluster.networking.nodes=[]":                                                                    "nodes can only be added",
			"runtimeCluster.networking.pods=[10.3.0.0/16]":                                                          "pods can only be added",
			"runtimeCluster.networking.pods=[10.3.0.0/16, 10.1.0.0/16]":                                             "",
			"runtimeCluster.networking.services=[10.3.0.0/16]":                                                      "services can only be added",
			"runtimeCluster.networking.services=[]":                                                                 "should have at least 1 items",
			"runtimeCluster.provider.zones=[a]":                                                                     "zones can only be added",
			"runtimeCluster.ingress.controller.kind=other":                                                          "Unsupported value",
			"virtualCluster.controlPlane={}":                                                                        "controlPlane.highAvailability cannot be removed",
			"virtualCluster.dns.domains=[{name: two.example.org}]":                                                  "the first domain is immutable",
			"virtualCluster.dns.domains=[{name: one.example.org}]":                                                  "",
			"virtualCluster.etcd.main.backup.provider=x":                                                            "provider is immutable",
			"virtualCluster.etcd.main.backup.bucketName=x":                                                          "bucketName is immutable",
			"virtualCluster.etcd.main.backup.region=x":                                                              "region is immutable",
			"virtualCluster.etcd.main.storage={}":                                                                   "className is immutable",
			"virtualCluster.gardener.clusterIdentity=you":                                                           "clusterIdentity is immutable",
			"virtualCluster.gardener.gardenerAPIServer={goAwayChance: 0.5}":                                         "should be less than or equal to 0.02",
			"virtualCluster.gardener.gardenerScheduler={strategy: Random}":                                          "Unsupported value",
			"virtualCluster.networking.services=[100.65.0.0/16]":                                                    "services can only be added",
			"virtualCluster.kubernetes.version=":                                                                    "should be at least 1 chars long",
			"dns={providers: []}":                                                                                   "should have at least 1 items",
			"dns={providers: [{name: a, type: t, secretRef: {name: s}}, {name: a, type: u, secretRef: {name: s}}]}": "Duplicate value",
		}},
		{operatorGroup, "Extension", `{resources: [{kind: Network, type: a}]}`, map[string]string{
			"resources=[{kind: Network, type: a}, {kind: Network, type: a}]":                             "Duplicate value",
			"deployment={extension: {policy: Never}}":                                                    "Unsupported value",
			"deployment={extension: {helm: {ociRepository: {ref: a, tag: b}}}}":                          "ref excludes repository, tag and digest",
			"deployment={admission: {runtimeCluster: {helm: {ociRepository: {repository: a}}}}}":         "ref, or repository with tag or digest, is required",
			"deployment={admission: {virtualCluster: {helm: {ociRepository: {repository: a, tag: b}}}}}": "",
		}},
	} {
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": tc.version, "kind": tc.kind, "spec": parse(t, tc.spec)}}
		object.SetName("rules")
		if namespaced, err := c.IsObjectNamespaced(object); err != nil {
			t.Fatal(err)
		} else if namespaced {
			object.SetNamespace("default")
		}
		if err := c.Create(t.Context(), object); err != nil {
			t.Errorf("create %s: %v", tc.kind, err)
			continue
		}
		for change, want := range tc.changes {
			t.Run(fmt.Sprintf("%s with %.60s", tc.kind, change), func(t *testing.T) {
				path, value, _ := strings.Cut(change, "=")
				changed := object.DeepCopy()
				if err := unstructured.SetNestedField(changed.Object, parse(t, value), append([]string{"spec"}, strings.Split(path, ".")...)...); err != nil {
					t.Fatal(err)
				}
				err := c.Update(t.Context(), changed, client.DryRunAll)
				if want == "" && err != nil || want != "" && (!apierrors.IsInvalid(err) || !strings.Contains(err.Error(), want)) {
					t.Errorf("got %v, want %q", err, want)
				}
			})
		}
	}
}

// parse reads YAML of any form; nothing is the empty text.
func parse(t *testing.T, text string) any {
	t.Helper()
	if text == "" {
		return ""
	}
	var value any
	raw, err := yaml.YAMLToJSON([]byte(strings.ReplaceAll(text, "\t", " ")))
	if err != nil {
		t.Fatal(err)
	}
	list := &unstructured.Unstructured{}
	if err := list.UnmarshalJSON([]byte(`{"apiVersion":"v1","kind":"x","value":` + string(raw) + `}`)); err != nil {
		t.Fatal(err)
	}
	value = list.Object["value"]
	return value
}

func TestGardenKeepsDocuments(t *testing.T) {
	c, err := client.New(env.Config, client.Options{Scheme: runtime.NewScheme()})
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": operatorGroup, "kind": "Garden", "spec": parse(t, garden)}}
	object.SetName("documents")
	if err := c.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	plugins, _, _ := unstructured.NestedSlice(object.Object, "spec", "virtualCluster", "gardener", "gardenerAPIServer", "admissionPlugins")
	if len(plugins) != 1 || fmt.Sprint(plugins[0]) != "map[config:map[any:thing] name:P]" {
		t.Errorf("plugins are %v", plugins)
	}
	if size, _, _ := unstructured.NestedInt64(object.Object, "spec", "virtualCluster", "kubernetes", "kubeAPIServer", "auditWebhook", "batchMaxSize"); size != 30 {
		t.Errorf("batchMaxSize is %d, not its default", size)
	}
}
