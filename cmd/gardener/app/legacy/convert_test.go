package legacy

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

var rewrite = flag.Bool("rewrite", false, "write the golden file anew")

func read(t *testing.T, text string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for one := range strings.SplitSeq(text, "\n---\n") {
		var object map[string]any
		if err := yaml.UnmarshalStrict([]byte(one), &object); err != nil {
			t.Fatal(err)
		}
		all = append(all, object)
	}
	return all
}

func TestGarden(t *testing.T) {
	const golden = "testdata/garden.golden"
	text, err := os.ReadFile("testdata/garden.yaml")
	if err != nil {
		t.Fatal(err)
	}
	result, err := Convert(read(t, string(text)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := result.YAML()
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, "# "+strings.Join(result.Notes, "\n# ")+"\n"...)
	if *rewrite {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("API-40 converted garden (-want +got):\n%s", diff)
	}
	t.Run("API-40 what is converted stays as it is when it is converted again", func(t *testing.T) {
		again, err := Convert(result.Objects, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(result.Objects, again.Objects); diff != "" {
			t.Errorf("objects (-once +twice):\n%s", diff)
		}
	})
}

const shootHead = `apiVersion: garden.sapcloud.io/v1beta1
kind: Shoot
metadata: {name: s, namespace: garden-p}
spec:
  kubernetes: {version: 1.36.3}
  dns: {}
  cloud:
    profile: p
    region: r
    secretBindingRef: {name: b}
`

func TestProviders(t *testing.T) {
	for name, tc := range map[string]struct{ section, infrastructure, controlPlane, nodes string }{
		"azure": {
			`{resourceGroup: {name: g}, networks: {vnet: {name: n}, workers: 10.0.0.0/16}, workers: [{name: w, machineType: m, autoScalerMin: 1, autoScalerMax: 1, volumeType: v, volumeSize: 1Gi}]}`,
			`{apiVersion: azure.provider.extensions.gardener.cloud/v1alpha1, kind: InfrastructureConfig, resourceGroup: {name: g}, networks: {vnet: {name: n}, workers: 10.0.0.0/16}}`, `null`, "10.0.0.0/16",
		},
		"gcp": {
			`{networks: {vpc: {name: n}, workers: [10.0.0.0/16], nodes: 10.1.0.0/16}, zones: [a, b], workers: []}`,
			`{apiVersion: gcp.provider.extensions.gardener.cloud/v1alpha1, kind: InfrastructureConfig, networks: {vpc: {name: n}, workers: 10.0.0.0/16}}`,
			`{apiVersion: gcp.provider.extensions.gardener.cloud/v1alpha1, kind: ControlPlaneConfig, zone: a}`, "10.1.0.0/16",
		},
		"openstack": {
			`{floatingPoolName: f, loadBalancerProvider: haproxy, networks: {router: {id: i}, workers: [10.0.0.0/16]}, zones: [a], workers: []}`,
			`{apiVersion: openstack.provider.extensions.gardener.cloud/v1alpha1, kind: InfrastructureConfig, floatingPoolName: f, networks: {router: {id: i}, workers: 10.0.0.0/16}}`,
			`{apiVersion: openstack.provider.extensions.gardener.cloud/v1alpha1, kind: ControlPlaneConfig, loadBalancerProvider: haproxy}`, "10.0.0.0/16",
		},
		"alicloud": {
			`{networks: {vpc: {cidr: 10.0.0.0/8}, workers: [10.0.0.0/16]}, zones: [a], workers: []}`,
			`{apiVersion: alicloud.provider.extensions.gardener.cloud/v1alpha1, kind: InfrastructureConfig, networks: {vpc: {cidr: 10.0.0.0/8}, zones: [{name: a, workers: 10.0.0.0/16}]}}`, `null`, "10.0.0.0/8",
		},
	} {
		t.Run("API-40 the section about "+name+" becomes documents of the provider", func(t *testing.T) {
			result, err := Convert(read(t, shootHead+"    "+name+": "+tc.section), Options{})
			if err != nil {
				t.Fatal(err)
			}
			spec := result.Objects[0]["spec"].(document)
			provider := spec["provider"].(document)
			for key, text := range map[string]string{"infrastructureConfig": tc.infrastructure, "controlPlaneConfig": tc.controlPlane} {
				var want any
				if err := yaml.Unmarshal([]byte(text), &want); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, provider[key]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", key, diff)
				}
			}
			if nodes := spec["networking"].(document)["nodes"]; nodes != tc.nodes || provider["type"] != name {
				t.Errorf("provider %v, nodes %v", provider["type"], nodes)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	const gcp = `    gcp: {networks: {workers: [10.0.0.0/16]}, zones: [a], workers: []}` + "\n"
	head := func(kind string) string {
		return "apiVersion: garden.sapcloud.io/v1beta1\nkind: " + kind + "\nmetadata: {name: a, namespace: garden-p}\n"
	}
	for name, tc := range map[string]struct {
		manifest string
		options  Options
		want     []string // all of these; none means that it can be converted
	}{
		"an unknown field":                         {shootHead + gcp + "  surprise: 1", Options{}, []string{"Shoot garden-p/s: spec.surprise: Forbidden: cannot be converted"}},
		"an unknown field deep in":                 {shootHead + "    gcp: {networks: {workers: [10.0.0.0/16], mtu: 9000}, zones: [a], workers: [{name: w, speed: fast}]}", Options{}, []string{"spec.cloud.gcp.networks.mtu", "spec.cloud.gcp.workers[0].speed"}},
		"an unknown field in what is carried over": {strings.Replace(shootHead, "version: 1.36.3", "version: 1.36.3, cloudControllerManager: {}", 1) + gcp, Options{}, []string{`unknown field "spec.kubernetes.cloudControllerManager"`}},
		"an add-on that is gone":                   {shootHead + gcp + "  addons: {kube2iam: {enabled: true, roles: []}}", Options{}, []string{"spec.addons.kube2iam: Forbidden: there is no such add-on any more"}},
		"an add-on that is given up":               {shootHead + gcp + "  addons: {kube2iam: {enabled: true, roles: []}}", Options{Drop: []string{"spec.addons.kube2iam", "spec.no.where"}}, nil},
		"an add-on that is off":                    {shootHead + gcp + "  addons: {kube-lego: {enabled: false, email: a@example.org}}", Options{}, nil},
		"an image that the provider names":         {shootHead + "    gcp: {machineImage: {name: CoreOS, image: projects/x}, networks: {workers: [10.0.0.0/16]}, zones: [a], workers: []}", Options{}, []string{"spec.cloud.gcp.machineImage.image"}},
		"a provider that is unknown":               {shootHead + "    vagrant: {endpoint: here}", Options{}, []string{"spec.cloud.vagrant", "spec.cloud: Required"}},
		"lists that do not fit zones":              {shootHead + "    aws: {networks: {vpc: {id: v}, internal: [a], public: [a, b], workers: [a, b]}, zones: [x, y], workers: []}", Options{}, []string{"spec.cloud.aws.networks.internal: Invalid"}},
		"two networks of workers":                  {shootHead + "    gcp: {networks: {workers: [a, b]}, zones: [x], workers: []}", Options{}, []string{"spec.cloud.gcp.networks.workers: Invalid"}},
		"wrong types":                              {shootHead + gcp + "  dns: no", Options{}, []string{"already set"}},
		"a text instead of a mapping":              {head("Seed") + "spec: {cloud: here}", Options{ProviderType: "aws"}, []string{"spec.cloud: Invalid"}},
		"a purpose that does not exist":            {strings.Replace(shootHead, "namespace: garden-p", "namespace: garden-p, annotations: {garden.sapcloud.io/purpose: fun}", 1) + gcp, Options{}, []string{"metadata.annotations[garden.sapcloud.io/purpose]"}},
		"a seed without a provider":                {head("Seed") + "spec: {cloud: {profile: p, region: r}}", Options{}, []string{"spec.cloud.profile: Invalid"}},
		"a seed with a provider by an option":      {head("Seed") + "spec: {cloud: {profile: p, region: r}}", Options{ProviderType: "aws"}, nil},
		"a binding without a provider":             {head("SecretBinding") + "secretRef: {name: a}", Options{}, []string{"provider.type: Required"}},
		"a quota for something else":               {head("Quota") + "spec: {scope: world, metrics: {}}", Options{}, []string{"spec.scope: Unsupported"}},
		"a backup without its seed":                {head("BackupInfrastructure") + "spec: {seed: s, shootUID: u}", Options{}, []string{"spec.seed: Invalid", "metadata.name: Invalid"}},
		"images without versions":                  {head("CloudProfile") + "spec: {aws: {constraints: {kubernetes: {versions: [1.36.3]}, machineImages: [{name: CoreOS, regions: [{name: r, ami: a}]}], machineTypes: [], volumeTypes: [], zones: []}}}", Options{}, []string{"spec.aws.constraints.machineImages[0].version: Required"}},
		"images of Azure":                          {head("CloudProfile") + "spec: {azure: {countFaultDomains: [{region: r, count: 2}], constraints: {kubernetes: {versions: [1.36.3]}, machineImages: [{name: CoreOS, publisher: p, offer: o, sku: s, version: 1.0.0}], machineTypes: [], volumeTypes: []}}}", Options{}, nil},
		"images of OpenStack and its own settings": {head("CloudProfile") + "spec: {openstack: {keystoneURL: u, dnsServers: [1.1.1.1], constraints: {floatingPools: [{name: f}], loadBalancerProviders: [{name: l}], kubernetes: {versions: [1.36.3]}, machineImages: [{name: a, version: 1.0.0, image: glance}], machineTypes: [{name: m, cpu: 1, gpu: 0, memory: 1Gi, volumeType: v, volumeSize: 20Gi}], zones: []}}}", Options{}, []string{"machineImages[0].image: Forbidden"}},
		"a kind that there is not":                 {head("Ship"), Options{}, []string{"kind: Unsupported value"}},
		"a new kind that there is not":             {"apiVersion: core.gardener.cloud/v1beta1\nkind: Ship\nmetadata: {name: a}", Options{}, []string{"kind Ship is not known"}},
		"first words of the new group":             {"apiVersion: core.gardener.cloud/v1alpha1\nkind: BackupBucket\nmetadata: {name: a}\nspec: {provider: {type: a, region: b}, secretRef: {name: a, namespace: b}, seed: s}", Options{}, nil},
	} {
		t.Run("API-40 "+name, func(t *testing.T) {
			var objects []map[string]any
			var object map[string]any
			err := yaml.UnmarshalStrict([]byte(tc.manifest), &object)
			if objects = append(objects, object); err == nil {
				_, err = Convert(objects, tc.options)
				var mistakes *Mistakes
				if err != nil && !errors.As(err, &mistakes) {
					t.Errorf("error is a %T", err)
				}
			}
			if len(tc.want) == 0 && err != nil {
				t.Error(err)
			}
			for _, want := range tc.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error is %v, want %q", err, want)
				}
			}
		})
	}
}
