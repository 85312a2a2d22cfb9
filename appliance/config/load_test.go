package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestHandlerFrontDoors(t *testing.T) {
	l := &Landscape{Gardenlet: []byte(`{"exposureClassHandlers":[{"name":"a","sni":{"ingress":{"serviceExternalIP":"127.0.0.2"}}}]}`)}
	if got := l.HandlerFrontDoors(8443); len(got) != 1 || got["a"] != "127.0.0.2:8443" {
		t.Errorf("PRT-4 front doors are %v", got)
	}
	if got := (&Landscape{}).HandlerFrontDoors(8443); got != nil {
		t.Errorf("front doors without handlers are %v", got)
	}
}

func TestLoad(t *testing.T) {
	for name, tc := range map[string]struct {
		content string
		wantErr []string // all of these
	}{
		"an empty file gets all defaults": {content: ""},
		"an unknown key is named":         {content: "nam: x\n", wantErr: []string{`unknown field "nam"`}},
		"all unknown keys are named":      {content: "nam: x\nfrontDoor: {prot: 1}\nseed: {podCidr: x}\n", wantErr: []string{`unknown field "nam"`, `unknown field "frontDoor.prot"`, `unknown field "seed.podCidr"`}},
		"a duplicate key is named":        {content: "name: x\nname: y\n", wantErr: []string{`"name" already set`}},
		"all mistakes are told at once": {
			content: "name: Not_A_Label\nfrontDoor: {address: 10.0.0.1, port: 70000}\nseed: {provider: moon, podCIDR: 10.0.0.0/8}\n",
			wantErr: []string{"name:", "frontDoor.address:", "frontDoor.port:", "seed.provider:", "seed.podCIDR:"},
		},
		"ranges that overlap":       {content: "seed: {podCIDR: 127.96.0.0/16}\n", wantErr: []string{"must not overlap"}},
		"a range where shoots live": {content: "seed: {podCIDR: 127.180.0.0/16}\n", wantErr: []string{"127.0.0.0/9"}},
		"GLT-10 keys of the gardenlet are taken over": {
			content: "gardenlet: {logLevel: error, controllers: {shoot: {concurrentSyncs: 3}}, logging: {enabled: true}}\n",
		},
		"VPN-7 gates that contradict each other are told before anything starts": {
			content: "gardenlet: {featureGates: {ReversedVPN: true, APIServerSNI: false}}\n", wantErr: []string{"gardenlet.featureGates:", "ReversedVPN needs APIServerSNI"},
		},
		"PRT-4 a handler of exposure classes has an address": {
			content: "gardenlet: {exposureClassHandlers: [{name: a}]}\n", wantErr: []string{"gardenlet.exposureClassHandlers[0].sni.ingress.serviceExternalIP:"},
		},
		"PRT-4 handlers do not share their addresses": {
			content: "gardenlet: {exposureClassHandlers: [{name: a, sni: {ingress: {serviceExternalIP: 127.0.0.1}}}]}\n",
			wantErr: []string{"gardenlet.exposureClassHandlers[0].sni.ingress.serviceExternalIP: Duplicate"},
		},
		"PRT-4 kind seeds have handlers, too": {
			content: "seed: {provider: kind}\ngardenlet: {exposureClassHandlers: [{name: a, sni: {ingress: {serviceExternalIP: 127.0.0.2}}}]}\n",
		},
		"PRT-4 a handler of a kind seed does not share its namespace": {
			content: "seed: {provider: kind}\ngardenlet: {exposureClassHandlers: [{name: a, sni: {ingress: {serviceExternalIP: 127.0.0.2, namespace: istio-ingress}}}]}\n",
			wantErr: []string{"gardenlet.exposureClassHandlers[0].sni.ingress.namespace: Duplicate"},
		},
		"a kind seed has several nodes in zones":                   {content: "seed: {provider: kind, nodes: 3, zones: [a, b]}\n"},
		"an embedded seed has one node":                            {content: "seed: {nodes: 3}\n", wantErr: []string{"seed.nodes:", "kind"}},
		"there are not more nodes than a machine has room for":     {content: "seed: {provider: kind, nodes: 10}\n", wantErr: []string{"seed.nodes:", "between 1 and 9"}},
		"a zone has a node":                                        {content: "seed: {provider: kind, nodes: 2, zones: [a, b, c]}\n", wantErr: []string{"seed.zones:"}},
		"APP-19 an operator lists private networks for tenants":    {content: "tenants: {privateNetworks: [10.20.0.0/16, 'fd00:1::/32']}\n"},
		"APP-14 the outside is closed to containers":               {content: "tenants: {outside: false}\n"},
		"APP-19 a network for tenants is private, and has a range": {content: "tenants: {privateNetworks: [0.0.0.0/0]}\n", wantErr: []string{"tenants.privateNetworks[0]:"}},
		"APP-19 a network for tenants is not loopback":             {content: "tenants: {privateNetworks: [10.0.0.0/8, 127.0.0.0/8]}\n", wantErr: []string{"tenants.privateNetworks[1]:"}},
		"APP-19 a network for tenants has no host bits":            {content: "tenants: {privateNetworks: [10.0.0.7/8]}\n", wantErr: []string{"tenants.privateNetworks[0]:"}},
		"API-11 the image of this binary has a name in a registry": {content: "image: registry.example.org/gardener:v1\n"},
		"API-11 a name of the image without a tag is refused":      {content: "image: registry.example.org/gardener\n", wantErr: []string{"image:"}},
		"APP-8 a further seed has one of the two providers":        {content: "seeds: [{name: two, provider: cloud}]\n", wantErr: []string{"seeds[0].provider: Unsupported"}},
		"APP-8 only a kind cluster has a node image":               {content: "seeds: [{name: two, nodeImage: x}]\n", wantErr: []string{"seeds[0].nodeImage: Forbidden"}},
		"APP-8 a further seed on kind has private ranges": {
			content: "seeds: [{name: two, provider: kind, podCIDR: 127.70.0.0/16, serviceCIDR: 10.2.0.0/16}]\n", wantErr: []string{"seeds[0].podCIDR: Invalid"},
		},
		"APP-8 the name of a kind seed fits into a host name": {
			content: "seeds: [{name: " + strings.Repeat("x", 40) + ", provider: kind}]\n", wantErr: []string{"seeds[0].name: Too long"},
		},
		"API-11 a further seed needs a name of its own": {content: "seeds: [{name: local}]\n", wantErr: []string{"seeds[0].name: Duplicate"}},
		"API-11 ranges of seeds must not overlap": {
			content: "seeds: [{name: two, podCIDR: 127.64.0.0/20, serviceCIDR: 127.97.0.0/20}]\n", wantErr: []string{"seeds[0].podCIDR:", "overlap"},
		},
		"API-11 a further seed has either both ranges or none": {
			content: "seeds: [{name: two, podCIDR: 127.65.0.0/20}]\n", wantErr: []string{"seeds[0].serviceCIDR:"},
		},
		"GLT-10 an unknown key of the gardenlet is named": {
			content: "gardenlet: {controllers: {shoots: {}}}\n", wantErr: []string{"gardenlet:", `unknown field "controllers.shoots"`},
		},
		"GLT-10 the seed's name is decided elsewhere": {
			content: "gardenlet: {seedConfig: {metadata: {name: other}}}\n", wantErr: []string{"gardenlet.seedConfig.metadata.name:"},
		},
		"GCM-5 keys of the controller manager are taken over": {
			content: "controllerManager: {controllers: {project: {staleGracePeriodDays: 0, quotas: [{config: {spec: {hard: {count/secrets: 5}}}}]}}}\n",
		},
		"GCM-11 mistakes in keys of the controller manager are named": {
			content: "controllerManager: {controllers: {project: {minimumLifetimeDays: -1, staleGracePeriodDays: 100}}}\n",
			wantErr: []string{"controllerManager:", "minimumLifetimeDays must not be negative", "staleExpirationTimeDays must not be less"},
		},
		"GCM-11 an unknown key of the controller manager is named": {
			content: "controllerManager: {controllers: {projects: {}}}\n", wantErr: []string{"controllerManager:", `unknown field "controllers.projects"`},
		},
		"SCH-10 keys of the scheduler are taken over": {
			content: "scheduler: {schedulers: {shoot: {candidateDeterminationStrategy: MinimalDistance}}}\n",
		},
		"SCH-10 mistakes in keys of the scheduler are named": {
			content: "scheduler: {schedulers: {shoot: {candidateDeterminationStrategy: Nearest}}}\n",
			wantErr: []string{"scheduler:", `candidateDeterminationStrategy "Nearest" is not one of SameRegion, MinimalDistance`},
		},
		"OPR-23 keys of the operator are taken over": {
			content: "operator: {controllers: {gardenCare: {conditionThresholds: [{type: VirtualComponentsHealthy, duration: 1m}]}}}\n",
		},
		"OPR-23 mistakes in keys of the operator are named": {
			content: "operator: {controllers: {gardenCare: {conditionThresholds: [{type: Healthy, duration: 1m}]}}}\n",
			wantErr: []string{"operator:", `conditionThresholds[0].type "Healthy" is not one of`},
		},
		"a former setting of the garden's requests is accepted": {content: "garden: {requests: {priorityAndFairness: false}}\n"},
		"requests of the garden are bounded":                    {content: "garden: {requests: {priorityAndFairness: true, maxInFlight: 10, maxMutatingInFlight: 5, maxInFlightPerUser: 0, maxWatchesPerUser: 7}}\n"},
		"requests are at least one": {
			content: "garden: {requests: {maxInFlight: 0, maxMutatingInFlight: -1, maxInFlightPerUser: -1, maxWatchesPerUser: -1}}\n",
			wantErr: []string{"garden.requests.maxInFlight:", "garden.requests.maxMutatingInFlight:", "garden.requests.maxInFlightPerUser:", "garden.requests.maxWatchesPerUser:"},
		},
		"an audit needs a policy and somebody who takes it": {
			content: "garden: {audit: {}}\n", wantErr: []string{"garden.audit.policyFile: Required", "garden.audit.logDir: Required"},
		},
		"files of an audit are absolute paths of what can be read": {
			content: "garden: {audit: {policyFile: policy.yaml, webhookFile: /no/where, logDir: /no/where}}\n",
			wantErr: []string{"garden.audit.policyFile:", "absolute", "garden.audit.webhookFile:", "garden.audit.logDir:", "no such file"},
		},
		"an audit policy is looked into": {
			content: "garden: {audit: {policyFile: DIR/gardener.yaml, logDir: DIR}}\n", wantErr: []string{"garden.audit.policyFile:", `unknown field "garden"`},
		},
		"AKC-7 plugins and gates of the Gardener API server can be chosen": {
			content: "garden: {gardenerAPIServer: {admission: {enablePlugins: [ShootVPAEnabledByDefault], disablePlugins: [Bastion]}, featureGates: {AdminKubeconfigRequest: false}}}\n",
		},
		"ADM-1 AKC-7 plugins and gates that do not exist are named": {
			content: "garden: {gardenerAPIServer: {admission: {enablePlugins: [None], disablePlugins: [Nothing]}, featureGates: {Unknown: true}}}\n",
			wantErr: []string{"garden.gardenerAPIServer.admission.enablePlugins[0]:", "garden.gardenerAPIServer.admission.disablePlugins[0]:", "garden.gardenerAPIServer.featureGates:"},
		},
		"ADM-1 a plugin cannot be enabled and disabled": {
			content: "garden: {gardenerAPIServer: {admission: {enablePlugins: [Bastion], disablePlugins: [Bastion]}}}\n",
			wantErr: []string{"garden.gardenerAPIServer.admission.disablePlugins[0]:"},
		},
		"ADM-22 the file of the plugins must be an AdmissionConfiguration": {
			content: "garden: {gardenerAPIServer: {admission: {configFile: DIR/gardener.yaml}}}\n",
			wantErr: []string{"garden.gardenerAPIServer.admission.configFile:", `unknown field "garden"`},
		},
		"APP-12 registries have mirrors":            {content: "registryMirrors: {docker.io: ['127.0.0.1:5000'], '*': [mirror.example.org]}\n"},
		"APP-12 a mirror is the host of a registry": {content: "registryMirrors: {docker.io: ['https://mirror.example.org/a']}\n", wantErr: []string{"registryMirrors[docker.io][0]:"}},
		"APP-12 a bundle is loaded at the start":    {content: "bundle: {file: /some/landscape.bundle}\n"},
		"APP-12 a bundle has an absolute path":      {content: "bundle: {file: landscape.bundle}\n", wantErr: []string{"bundle.file:", "absolute"}},
		"APP-12 a bundle is not for nodes of kind":  {content: "seed: {provider: kind}\nbundle: {file: /some/landscape.bundle}\n", wantErr: []string{"bundle.file: Forbidden"}},
		"APP-12 the key of a bundle is a public key": {
			content: "bundle: {keyFile: DIR/gardener.yaml}\n", wantErr: []string{"bundle.file: Required", "bundle.keyFile:", "no public key"},
		},
		"APP-5 the storage of a cluster has a quota": {content: "storage: {quota: 64Mi}\n"},
		"APP-5 a quota has room for a landscape":     {content: "storage: {quota: 1Mi}\n", wantErr: []string{"storage.quota:", "32Mi"}},
		"APP-5 a quota is one that etcd can have":    {content: "storage: {quota: 100Gi}\n", wantErr: []string{"storage.quota:", "8Gi"}},
		"APP-21 backups have a schedule":             {content: "backup: {schedule: '0 3 * * *', to: /mnt/backups}\n"},
		"APP-21 backups go to a bucket":              {content: "backup: {schedule: '@daily', to: 's3://bucket/prefix?region=here', keep: 3}\n"},
		"APP-21 mistakes in a schedule of backups":   {content: "backup: {schedule: 0 3 * *, to: backups, keep: 0, encryptToFile: a, passphraseFile: b}\n", wantErr: []string{"backup.schedule:", "backup.to:", "backup.keep:", "backup.passphraseFile:"}},
		"APP-21 a schedule of backups comes":         {content: "backup: {schedule: '0 0 30 2 *', to: /mnt}\n", wantErr: []string{"backup.schedule:", "matches no day"}},
		"APP-21 a key of backups is one":             {content: "backup: {schedule: '@daily', to: /mnt, encryptToFile: DIR/gardener.yaml}\n", wantErr: []string{"backup.encryptToFile:"}},
		"APP-21 containers are not backed up":        {content: "seed: {provider: kind}\nbackup: {schedule: '@daily', to: /mnt}\n", wantErr: []string{"backup:", "are not backed up"}},
		"a log file has a size":                      {content: "log: {maxSize: 10Mi}\n"},
		"a log file holds more than a few lines":     {content: "log: {maxSize: 10Ki}\n", wantErr: []string{"log.maxSize:"}},
		"OIDC-7 OpenIDConnects of the garden are switched on": {
			content: "garden: {openIDConnectWebhook: {enabled: true, allowedIssuerHosts: [login.localhost, '*.internal', '127.0.0.1:8443']}}\n",
		},
		"OIDC-7 a key of the webhook of the garden that does not exist": {
			content: "garden: {openIDConnectWebhook: {enable: true}}\n", wantErr: []string{`unknown field "garden.openIDConnectWebhook.enable"`},
		},
		"OIDC-7 an allowed issuer is a name": {
			content: "garden: {openIDConnectWebhook: {enabled: true, allowedIssuerHosts: ['https://a.internal', '', '[a', A.internal]}}\n",
			wantErr: []string{"allowedIssuerHosts[0]:", "allowedIssuerHosts[1]:", "allowedIssuerHosts[2]:", "garden.openIDConnectWebhook.allowedIssuerHosts[3]:", "must be the name of a host"},
		},
		"a key of an audit that does not exist": {content: "garden: {audit: {policy: x}}\n", wantErr: []string{`unknown field "garden.audit.policy"`}},
		"a file of another kind":                {content: "kind: Shoot\n", wantErr: []string{"kind: Unsupported value"}},
		"not YAML at all is named":              {content: "{", wantErr: []string{"gardener.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "gardener.yaml")
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(tc.content, "DIR", dir)), 0o600); err != nil {
				t.Fatal(err)
			}
			l, err := Load(file, nil)
			if len(tc.wantErr) == 0 {
				if err != nil || l.Name != DefaultName || *l.FrontDoor.Port != DefaultFrontDoorPort {
					t.Errorf("got %+v, %v", l, err)
				}
				return
			}
			for _, want := range tc.wantErr {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v does not contain %q", err, want)
				}
			}
		})
	}
	t.Run("an audit that is complete", func(t *testing.T) {
		dir := t.TempDir()
		for file, content := range map[string]string{
			"policy": "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n",
			"hook":   "{apiVersion: v1, kind: Config, clusters: [{name: a, cluster: {server: \"https://127.0.0.1\"}}], contexts: [{name: a, context: {cluster: a}}], current-context: a}",
			"config": "garden: {audit: {policyFile: " + dir + "/policy, webhookFile: " + dir + "/hook, logDir: " + dir + "}}",
		} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if l, err := Load(filepath.Join(dir, "config"), nil); err != nil || l.Garden.Audit.LogDir != dir {
			t.Errorf("got %+v, %v", l, err)
		}
	})
	t.Run("a kind seed is in as many zones as it has nodes, and an embedded one in three", func(t *testing.T) {
		for file, want := range map[string]int{"": 3, "seed: {provider: kind}": 1, "seed: {provider: kind, nodes: 2}": 2, "seed: {provider: kind, nodes: 5}": 3} {
			path := filepath.Join(t.TempDir(), "config")
			if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			if l, err := Load(path, nil); err != nil || len(l.Seed.Zones) != want {
				t.Errorf("%q: zones %v, %v, want %d", file, l.Seed.Zones, err, want)
			}
		}
	})
	t.Run("flags win over the file", func(t *testing.T) {
		l, err := Load("", func(l *Landscape) { l.Name = "other" })
		if err != nil || l.Name != "other" {
			t.Errorf("got %+v, %v", l, err)
		}
	})
}

func TestLoadReadsFilesOnly(t *testing.T) {
	dir := t.TempDir()
	large, fifo, link := filepath.Join(dir, "large"), filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(large, []byte("name: local\n#"+strings.Repeat("x", maxFile)), 0o600), syscall.Mkfifo(fifo, 0o600), os.Symlink("/dev/zero", link)); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{large: "larger than 1024 KiB", "/dev/zero": "not a regular file", link: "not a regular file", fifo: "not a regular file", dir: "not a regular file"} {
		t.Run("APP-35 "+filepath.Base(file)+" is refused", func(t *testing.T) {
			if _, err := Load(file, nil); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
				t.Errorf("error is %v, want %q", err, want)
			}
		})
	}
}
