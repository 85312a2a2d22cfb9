package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/mistakes"
)

// rule is one mistake: a field of a valid object gets a value, and is reported itself unless other places are named.
type rule struct {
	name  string
	path  string // like "spec.provider.workers[0].name"
	value string // in JSON
	want  []string
}

func set(t *testing.T, object any, path, value string) {
	t.Helper()
	mistakes.Set(t, object, path, value)
}

func (r rule) check(t *testing.T, errs field.ErrorList) {
	t.Helper()
	want := r.want
	if want == nil {
		want = []string{r.path}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, fields(errs), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s\n%v", diff, errs)
	}
}

const (
	server     = "spec.kubernetes.kubeAPIServer."
	autoscaler = "spec.kubernetes.clusterAutoscaler."
	vertical   = "spec.kubernetes.verticalPodAutoscaler."
	kubelet    = "spec.kubernetes.kubelet."
	pool       = "spec.provider.workers[0]."
)

func shootRules() []rule {
	rules := []rule{
		{"API-18 feature gates have names", server + "featureGates", `{"a b":true}`, []string{server + "featureGates[a b]"}},
		{"API-18 required plugins stay", server + "admissionPlugins", `[{"name":"NodeRestriction","disabled":true}]`, []string{server + "admissionPlugins[0]"}},
		{"API-18 required APIs stay", server + "runtimeConfig", `{"apps/v1":false}`, []string{server + "runtimeConfig[apps/v1]"}},
		{"API-18 claims have values", server + "oidcConfig", `{"issuerURL":"https://a","clientID":"c","requiredClaims":{"a":""}}`, []string{server + "oidcConfig.requiredClaims[a]"}},
		{"API-18 the CA of the issuer is in PEM", server + "oidcConfig", `{"issuerURL":"https://a","clientID":"c","caBundle":"x"}`, []string{server + "oidcConfig.caBundle"}},
		{"API-18 algorithms are known", server + "oidcConfig", `{"issuerURL":"https://a","clientID":"c","signingAlgs":["HS256"]}`, []string{server + "oidcConfig.signingAlgs[0]"}},
		{"API-18 what other fields say is not said twice", server + "oidcConfig", `{"issuerURL":"https://a","clientID":"c","clientAuthentication":{"extraConfig":{"client-id":"x"}}}`, []string{server + "oidcConfig.clientAuthentication.extraConfig[client-id]"}},
		{"caches have sizes", server + "watchCacheSizes", `{"default":-1,"resources":[{"resource":"Pods","size":-1}]}`, []string{server + "watchCacheSizes.default", server + "watchCacheSizes.resources[0].resource", server + "watchCacheSizes.resources[0].size"}},
		{"structured authentication is in a ConfigMap", server + "structuredAuthentication", `{}`, []string{server + "structuredAuthentication.configMapName"}},
		{"structured authorization has kubeconfigs", server + "structuredAuthorization", `{"configMapName":"a"}`, []string{server + "structuredAuthorization.kubeconfigs"}},
		{"an authorizer has one kubeconfig", server + "structuredAuthorization", `{"configMapName":"a","kubeconfigs":[{"authorizerName":"a","secretName":"b"},{"authorizerName":"a"}]}`, []string{server + "structuredAuthorization.kubeconfigs[1].authorizerName", server + "structuredAuthorization.kubeconfigs[1].secretName"}},
		{"TLS has a known version", server + "tlsMinVersion", `"VersionTLS10"`, nil},
		{"logs are not less than nothing", server + "logging", `{"verbosity":-1,"httpAccessVerbosity":-1}`, []string{server + "logging.httpAccessVerbosity", server + "logging.verbosity"}},
		{"tolerations last", server + "defaultNotReadyTolerationSeconds", `-1`, nil},
		{"an API server gets what it needs", server + "autoscaling.minAllowed", `{"cpu":"10m","memory":"100M"}`, []string{server + "autoscaling.minAllowed[cpu]", server + "autoscaling.minAllowed[memory]"}},
		{"only CPU and memory are scaled", server + "autoscaling.minAllowed", `{"storage":"1G"}`, []string{server + "autoscaling.minAllowed[storage]"}},
		{"etcd gets what it needs", "spec.kubernetes.etcd", `{"main":{"autoscaling":{"minAllowed":{"memory":"100M"}}},"events":{"autoscaling":{"minAllowed":{"memory":"30M"}}}}`, []string{"spec.kubernetes.etcd.events.autoscaling.minAllowed[memory]", "spec.kubernetes.etcd.main.autoscaling.minAllowed[memory]"}},

		{"API-20 a node has addresses for its pods", kubelet + "maxPods", `300`, nil},
		{"API-20 there are addresses for all nodes", "spec.networking.pods", `"100.96.0.0/24"`, []string{"spec.provider.workers"}},
		{"API-20 nodes have ranges in that of the pods", "spec.networking.pods", `"100.96.0.0/25"`, []string{"spec.kubernetes.kubeControllerManager.nodeCIDRMaskSize"}},
		{"API-20 the mask for IPv6 is in bounds", "spec.kubernetes.kubeControllerManager.nodeCIDRMaskSizeIPv6", `63`, nil},
		{"API-20 an eviction takes time", "spec.kubernetes.kubeControllerManager.podEvictionTimeout", `"-1s"`, nil},
		{"API-21 volumes are counted", "spec.kubernetes.kubeScheduler.kubeMaxPDVols", `"0"`, nil},
		{"API-21 a profile of the scheduler is known", "spec.kubernetes.kubeScheduler.profile", `"x"`, nil},
		{"API-21 a mode of the proxy is known", "spec.kubernetes.kubeProxy.mode", `"x"`, nil},
		{"API-21 thresholds are amounts", kubelet + "evictionHard", `{"memoryAvailable":"x","nodeFSAvailable":"101%"}`, []string{kubelet + "evictionHard.memoryAvailable", kubelet + "evictionHard.nodeFSAvailable"}},
		{"API-21 thresholds are amounts, soft ones, too", kubelet + "evictionSoft.imageFSAvailable", `"-1"`, nil},
		{"API-21 what is reclaimed is positive", kubelet + "evictionMinimumReclaim.memoryAvailable", `"-1"`, nil},
		{"API-21 grace periods last", kubelet + "evictionSoftGracePeriod.memoryAvailable", `"-1s"`, nil},
		{"API-21 a transition lasts", kubelet + "evictionPressureTransitionPeriod", `"-1s"`, nil},
		{"API-21 pods get time", kubelet + "evictionMaxPodGracePeriod", `-1`, nil},
		{"API-21 reservations are positive", kubelet + "kubeReserved.cpu", `"-1"`, nil},
		{"API-21 reservations of the system are positive", kubelet + "systemReserved.memory", `"-1"`, nil},
		{"API-21 rates are positive", kubelet + "registryPullQPS", `-1`, nil},
		{"API-21 bursts are positive", kubelet + "registryBurst", `-1`, nil},
		{"API-21 logs have a size", kubelet + "containerLogMaxSize", `"-1"`, nil},
		{"API-21 logs have files", kubelet + "containerLogMaxFiles", `1`, nil},
		{"API-21 processes are bounded", kubelet + "podPidsLimit", `99`, nil},
		{"API-21 a policy of CPUs is known", kubelet + "cpuManagerPolicy", `"x"`, nil},
		{"API-21 percentages of images", kubelet + "imageGCHighThresholdPercent", `101`, nil},
		{"API-21 collecting ends below where it begins", kubelet + "imageGCLowThresholdPercent", `60`, nil},
		{"API-21 connections idle for some time", kubelet + "streamingConnectionIdleTimeout", `"1s"`, nil},
		{"API-21 swap needs a kubelet that bears it", kubelet + "memorySwap.swapBehavior", `"LimitedSwap"`, []string{kubelet + "memorySwap"}},
		{"API-21 images are pulled one by one, or not", kubelet + "maxParallelImagePulls", `3`, nil},
		{"API-21 images live", kubelet + "imageMinimumGCAge", `"-1s"`, nil},
		{"API-21 a policy of pulls is known", kubelet + "imagePullCredentialsVerificationPolicy", `"x"`, nil},
		{"API-21 a list of images needs its policy", kubelet + "preloadedImagesVerificationAllowlist", `["a"]`, nil},

		{"API-22 a threshold is a fraction", autoscaler + "scaleDownUtilizationThreshold", `1.1`, nil},
		{"API-22 expanders are known", autoscaler + "expander", `"least-waste,x"`, nil},
		{"API-22 an expander is named once", autoscaler + "expander", `"random,random"`, nil},
		{"API-22 taints have keys", autoscaler + "startupTaints", `["a","a"," "]`, []string{autoscaler + "startupTaints[1]", autoscaler + "startupTaints[2]"}},
		{"a fraction is less than one", vertical + "evictionTolerance", `1`, nil},
		{"a percentile is a fraction", vertical + "targetCPUPercentile", `2`, nil},
		{"an interval is not nothing", vertical + "updaterInterval", `"0s"`, nil},
		{"somebody recommends", vertical + "recommenderUpdateWorkerCount", `0`, nil},
		{"recommendations are of CPU and memory", vertical + "maxAllowed", `{"x":"1"}`, []string{vertical + "maxAllowed[x]"}},

		{"API-16 a pool trusts certificates", pool + "caBundle", `"x"`, nil},
		{"API-16 parameters of the kernel have names", pool + "sysctls", `{"a b":"1"}`, []string{pool + "sysctls[a b]"}},
		{"API-16 draining takes time", pool + "machineControllerManager.machineDrainTimeout", `"-1s"`, nil},
		{"API-16 not more machines are kept than there are", pool + "machineControllerManager.autoPreserveFailedMachineMax", `9`, nil},
		{"API-16 retries are counted", pool + "machineControllerManager.maxEvictRetries", `-1`, nil},
		{"API-16 thresholds of a pool are fractions", pool + "clusterAutoscaler.scaleDownUtilizationThreshold", `2`, nil},
		{"API-16 a priority is at least -1", pool + "priority", `-2`, nil},
		{"API-16 volumes have short names", pool + "volume", `{"size":"20Gi","name":"Not_a_label"}`, []string{pool + "volume.name"}},
		{"API-16 data volumes need a volume", pool + "dataVolumes", `[{"name":"a","size":"1Gi"}]`, []string{pool + "volume"}},
		{"API-16 the kubelet's volume is one of the pool", pool + "kubeletDataVolumeName", `"a"`, nil},
		{"API-16 an update strategy is known", pool + "updateStrategy", `"x"`, nil},
		{"API-16 a runtime is known", pool + "cri.name", `"docker"`, nil},
		{"API-17 the kubelet of a pool is checked, too", pool + "kubernetes.kubelet", `{"maxPods":0}`, []string{pool + "kubernetes.kubelet.maxPods"}},
		{"API-15 a provider has a name", "spec.provider.type", `"a b"`, nil},
		{"API-15 resources are unique", "spec.resources", `[{"name":"a","resourceRef":{"apiVersion":"v1","kind":"Secret","name":"s"}},{"name":"b","resourceRef":{"apiVersion":"v1","kind":"Secret","name":"s"}}]`, []string{"spec.resources[1].resourceRef"}},
		{"API-15 restrictions have names", "spec.accessRestrictions", `[{"name":""}]`, []string{"spec.accessRestrictions[0].name"}},
		{"TOL-1 tolerations are unique", "spec.tolerations", `[{"key":"a","value":"b"},{"key":"a","value":"b"}]`, []string{"spec.tolerations[1]"}},
		{"TOL-1 tolerations have keys", "spec.tolerations", `[{"key":""}]`, []string{"spec.tolerations[0].key"}},
		{"API-23 the other providers have type and credentials", "spec.dns", `{"domain":"a.example.org","providers":[{"type":"a","primary":true},{}]}`, []string{"spec.dns.providers[1].secretName", "spec.dns.providers[1].type"}},
		{"API-23 one provider is the primary one", "spec.dns", `{"domain":"a.example.org","providers":[{"type":"a","primary":true},{"type":"b","secretName":"s","primary":true}]}`, []string{"spec.dns.providers[1].primary"}},
		{"API-23 credentials are of a known kind", "spec.dns", `{"domain":"a.example.org","providers":[{"type":"a","credentialsRef":{"apiVersion":"v1","kind":"Pod","name":"a"}}]}`, []string{"spec.dns.providers[0].credentialsRef.kind"}},
		{"API-27 addons are for evaluation", "spec.purpose", `"testing"`, []string{"spec.addons"}},
		{"API-27 sources are ranges", "spec.addons.nginxIngress.loadBalancerSourceRanges", `["x"]`, []string{"spec.addons.nginxIngress.loadBalancerSourceRanges[0]"}},
		{"API-27 traffic policies are known", "spec.addons.nginxIngress.externalTrafficPolicy", `"x"`, nil},
		{"API-27 the configuration is that of a ConfigMap", "spec.addons.nginxIngress.config", `{"a b":""}`, []string{"spec.addons.nginxIngress.config[a b]"}},
		{"API-27 one spelling is enough", "spec.addons.nginx-ingress", `{"enabled":true}`, nil},
		{"API-38 a rotation cannot begin before the cluster is there", "metadata.annotations", `{"gardener.cloud/operation":"rotate-etcd-encryption-key"}`, []string{"metadata.annotations[gardener.cloud/operation]"}},
		{"a cluster that is not deleted cannot be deleted by force", "metadata.annotations", `{"confirmation.gardener.cloud/force-deletion":"true"}`, []string{"metadata.annotations[confirmation.gardener.cloud/force-deletion]"}},
	}
	for _, name := range []string{"scaleDownDelayAfterAdd", "scaleDownDelayAfterDelete", "scaleDownDelayAfterFailure", "scaleDownUnneededTime",
		"scanInterval", "maxNodeProvisionTime", "newPodScaleUpDelay", "maxBinpackingTime", "maxNodeGroupBackoffDuration"} {
		rules = append(rules, rule{"API-22 " + name + " is not negative", autoscaler + name, `"-1s"`, nil})
	}
	for _, name := range []string{"maxGracefulTerminationSeconds", "maxEmptyBulkDelete", "verbosity", "maxScaleDownParallelism", "maxDrainParallelism"} {
		rules = append(rules, rule{"API-22 " + name + " is not negative", autoscaler + name, `-1`, nil})
	}
	return rules
}

func TestShootRules(t *testing.T) {
	valid := func() *core.Shoot {
		shoot := validShoot()
		shoot.Spec.Addons = &core.Addons{NginxIngress: &core.NginxIngress{Addon: core.Addon{Enabled: true}}}
		return shoot
	}
	if errs := ValidateShoot(valid()); len(errs) > 0 {
		t.Fatalf("the shoot to begin with has mistakes: %v", errs)
	}
	for _, r := range shootRules() {
		t.Run(r.name, func(t *testing.T) {
			shoot := valid()
			set(t, shoot, r.path, r.value)
			r.check(t, ValidateShoot(shoot))
		})
	}
	t.Run("all mistakes are told at once", func(t *testing.T) {
		shoot := valid()
		set(t, shoot, server+"tlsMinVersion", `"x"`)
		set(t, shoot, pool+"priority", `-2`)
		set(t, shoot, "spec.purpose", `"x"`)
		if got := fields(ValidateShoot(shoot)); len(got) != 4 {
			t.Errorf("got %v", got)
		}
	})
}

func TestCloudProfileRules(t *testing.T) {
	for _, r := range []rule{
		{"API-5 certificates are in PEM", "spec.caBundle", `"x"`, nil},
		{"API-2 machines have images", "spec.machineTypes[0].architecture", `"arm64"`, nil},
		{"API-2 a range of kubelets is a range", "spec.machineImages[0].versions[0].kubeletVersionConstraint", `"new ones"`, nil},
		{"API-2 bastions use machines of the profile", "spec.bastion", `{"machineType":{"name":"x"},"machineImage":{"name":"y"}}`, []string{"spec.bastion.machineImage.name", "spec.bastion.machineType.name"}},
		{"API-2 bastions use versions of the profile", "spec.bastion", `{"machineImage":{"name":"local","version":"9.9.9"}}`, []string{"spec.bastion.machineImage.version"}},
		{"API-2 storage has class and type", "spec.machineTypes[0].storage", `{"class":"","type":"","size":"-1"}`, []string{"spec.machineTypes[0].storage.class", "spec.machineTypes[0].storage.size", "spec.machineTypes[0].storage.type"}},
		{"API-2 machines are not negative", "spec.machineTypes[0].cpu", `"-1"`, nil},
		{"API-2 volumes have classes", "spec.volumeTypes", `[{"name":"a","class":""}]`, []string{"spec.volumeTypes[0].class"}},
		{"API-2 volumes are not negative", "spec.volumeTypes", `[{"name":"a","class":"b","minSize":"-1"}]`, []string{"spec.volumeTypes[0].minSize"}},
		{"API-2 labels are labels", "spec.regions[0].labels", `{"a b":"c"}`, []string{"spec.regions[0].labels"}},
		{"API-2 zones are unique", "spec.regions[0].zones", `[{"name":"a"},{"name":"a"}]`, []string{"spec.regions[0].zones[1].name"}},
		{"API-2 restrictions have names", "spec.regions[0].accessRestrictions", `[{"name":""}]`, []string{"spec.regions[0].accessRestrictions[0].name"}},
		{"API-2 an update strategy is known", "spec.machineImages[0].updateStrategy", `"x"`, nil},
		{"API-2 runtimes are unique", "spec.machineImages[0].versions[0].cri", `[{"name":"containerd","containerRuntimes":[{"type":"a"},{"type":"a"}]}]`, []string{"spec.machineImages[0].versions[0].cri[0].containerRuntimes[1].type"}},
		{"VER-1 classifications are known", "spec.kubernetes.versions[0].classification", `"x"`, nil},
		{"VER-1 versions are semantic", "spec.kubernetes.versions[0].version", `"1.36"`, nil},
		{"VER-1 stages follow each other", "spec.kubernetes.versions[0].lifecycle", `[{"classification":"preview","startTime":"2026-01-01T00:00:00Z"},{"classification":"x","startTime":"2025-01-01T00:00:00Z"},{"classification":"deprecated"}]`,
			[]string{"spec.kubernetes.versions[0].lifecycle[1].classification", "spec.kubernetes.versions[0].lifecycle[1].startTime", "spec.kubernetes.versions[0].lifecycle[2].startTime"}},
		{"capabilities have values", "spec.machineCapabilities", `[{"name":"architecture","values":[]}]`, []string{"spec.machineCapabilities[0].values"}},
		{"limits are positive", "spec.limits.maxNodesTotal", `0`, nil},
		{"API-4 selectors are selectors", "spec.seedSelector.matchExpressions", `[{"key":"a","operator":"x"}]`, []string{"spec.seedSelector.matchExpressions[0].operator"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			profile := validCloudProfile()
			set(t, profile, r.path, r.value)
			r.check(t, ValidateCloudProfile(profile))
		})
	}
}

// TestNames is about what all kinds have in common.
func TestNames(t *testing.T) {
	for _, name := range []string{"", "A", "a_b", "a--b", strings.Repeat("a", 64)} {
		shoot := validShoot()
		shoot.Name = name
		if got := fields(ValidateShoot(shoot)); fmt.Sprint(got) != "[metadata.name]" {
			t.Errorf("name %q: mistakes in %v", name, got)
		}
	}
}
