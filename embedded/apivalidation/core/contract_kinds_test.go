package core

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	corev1v1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/mistakes"
)

// R is a row of the tables below, which go field by field through the contract of each kind.
var R = mistakes.R

func meta(namespace string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: "a", Namespace: namespace, ResourceVersion: "1"}
}

func TestProfileContract(t *testing.T) {
	mistakes.Check(t, validCloudProfile, ValidateCloudProfile,
		R("API-2 a profile has a provider", "spec.type", `""`),
		R("API-2 a profile has versions", "spec.kubernetes.versions", `[]`),
		R("API-2 a version is named once", "spec.kubernetes.versions", `[{"version":"1.36.3"},{"version":"1.36.3"}]`, "spec.kubernetes.versions[1].version"),
		R("VER-1 VER-8 one version of a minor is supported", "spec.kubernetes.versions", `[{"version":"1.36.3","classification":"supported"},{"version":"1.36.2","classification":"supported"}]`, "spec.kubernetes.versions[1].classification"),
		R("API-2 a profile has images", "spec.machineImages", `[]`),
		R("API-2 an image has versions", "spec.machineImages[0].versions", `[]`, "spec.machineImages[0].versions", "spec.machineTypes[0].architecture"),
		R("API-2 an image has a semantic version", "spec.machineImages[0].versions[0].version", `"new"`),
		R("API-2 a runtime of an image is known", "spec.machineImages[0].versions[0].cri", `[{"name":"x"}]`, "spec.machineImages[0].versions[0].cri[0].name"),
		R("API-2 an architecture of an image is known", "spec.machineImages[0].versions[0].architectures", `["amd64","x"]`, "spec.machineImages[0].versions[0].architectures[1]"),
		R("API-2 a version of an image is named once", "spec.machineImages[0].versions", `[{"version":"1.0.0","architectures":["amd64"]},{"version":"1.0.0","architectures":["amd64"]}]`, "spec.machineImages[0].versions[1].version"),
		R("API-2 an image is updated from a version", "spec.machineImages[0].versions[0].inPlaceUpdates", `{"supported":true,"minVersionForUpdate":"old"}`, "spec.machineImages[0].versions[0].inPlaceUpdates.minVersionForUpdate"),
		R("API-2 a profile has machines", "spec.machineTypes", `[]`),
		R("API-2 machines have names", "spec.machineTypes[0].name", `""`),
		R("API-2 storage has one size", "spec.machineTypes[0].storage", `{"class":"a","type":"b"}`, "spec.machineTypes[0].storage"),
		R("API-2 a profile has regions", "spec.regions", `[]`),
		R("API-2 regions have names", "spec.regions[0].name", `""`),
		R("API-2 zones have names", "spec.regions[0].zones", `[{"name":""}]`, "spec.regions[0].zones[0].name"),
		R("API-2 what a zone lacks is named once", "spec.regions[0].zones", `[{"name":"a","unavailableMachineTypes":["x","x"],"unavailableVolumeTypes":["y","y"]}]`,
			"spec.regions[0].zones[0].unavailableMachineTypes[1]", "spec.regions[0].zones[0].unavailableVolumeTypes[1]"),
		R("API-2 volumes are named once", "spec.volumeTypes", `[{"name":"a","class":"b"},{"name":"a","class":"b"}]`, "spec.volumeTypes[1].name"),
		R("API-3 storage of a fixed size excludes volumes", "spec", `{"type":"a","kubernetes":{"versions":[{"version":"1.36.3"}]},"machineImages":[{"name":"a","versions":[{"version":"1.0.0","architectures":["amd64"]}]}],
			"machineTypes":[{"name":"a","cpu":"1","gpu":"0","memory":"1Gi","storage":{"class":"a","type":"b","size":"1Gi"}}],"volumeTypes":[{"name":"v","class":"c"}],"regions":[{"name":"a"}]}`, "spec.machineTypes[0].storage.size"),
		R("capabilities have names of their own", "spec.machineCapabilities", `[{"name":"architecture","values":["amd64"]},{"name":"gardener-x","values":["y"]}]`, "spec.machineCapabilities[1].name"),
		R("capabilities include the architecture", "spec.machineCapabilities", `[{"name":"x","values":["y"]}]`, "spec.machineCapabilities"),
		R("a version has stages or a class", "spec.kubernetes.versions", `[{"version":"1.36.3","classification":"supported","lifecycle":[{"classification":"supported"}]}]`, "spec.kubernetes.versions[0].lifecycle"),
	)
	stored := func() *core.CloudProfile {
		profile := validCloudProfile()
		profile.ResourceVersion = "1"
		return profile
	}
	mistakes.CheckUpdate(t, stored, ValidateCloudProfileUpdate, R("API-2 a profile stays with its provider", "spec.type", `"b"`))
	limited := func() *core.CloudProfile {
		profile := stored()
		profile.Spec.Limits = &core.Limits{MaxNodesTotal: new(int32(5))}
		return profile
	}
	mistakes.CheckUpdate(t, limited, ValidateCloudProfileUpdate, R("limits do not sink", "spec.limits.maxNodesTotal", `4`))
}

func TestNamespacedProfileContract(t *testing.T) {
	valid := func() *core.NamespacedCloudProfile {
		return &core.NamespacedCloudProfile{ObjectMeta: meta("garden-a"), Spec: core.NamespacedCloudProfileSpec{Parent: core.CloudProfileReference{Kind: "CloudProfile", Name: "p"}}}
	}
	mistakes.Check(t, valid, ValidateNamespacedCloudProfile,
		R("a parent is a CloudProfile", "spec.parent.kind", `"NamespacedCloudProfile"`),
		R("a parent has a name", "spec.parent.name", `""`),
		R("certificates are in PEM", "spec.caBundle", `"x"`),
		R("versions are not none", "spec.kubernetes", `{"versions":[]}`, "spec.kubernetes.versions"),
		R("versions are semantic and named once", "spec.kubernetes", `{"versions":[{"version":"1.36"},{"version":"1.36"}]}`,
			"spec.kubernetes.versions[0].version", "spec.kubernetes.versions[1].version"),
		R("classifications are known", "spec.kubernetes", `{"versions":[{"version":"1.36.3","classification":"x"}]}`, "spec.kubernetes.versions[0].classification"),
		R("images have versions", "spec.machineImages", `[{"name":"a","versions":[]}]`, "spec.machineImages[0].versions"),
		R("machines have names", "spec.machineTypes", `[{"name":"","cpu":"1","gpu":"0","memory":"1"}]`, "spec.machineTypes[0].name"),
		R("volumes have classes", "spec.volumeTypes", `[{"name":"a","class":""}]`, "spec.volumeTypes[0].class"),
		R("limits are positive", "spec.limits", `{"maxNodesTotal":0}`, "spec.limits.maxNodesTotal"),
	)
	mistakes.CheckUpdate(t, valid, ValidateNamespacedCloudProfileUpdate, R("the parent is fixed", "spec.parent.name", `"q"`, "spec.parent"))
	limited := func() *core.NamespacedCloudProfile {
		profile := valid()
		profile.ResourceVersion, profile.Spec.Limits = "1", &core.Limits{MaxNodesTotal: new(int32(5))}
		return profile
	}
	mistakes.CheckUpdate(t, limited, ValidateNamespacedCloudProfileUpdate, R("limits do not sink", "spec.limits.maxNodesTotal", `4`))
}

func TestProjectContract(t *testing.T) {
	user := rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "a"}
	valid := func() *core.Project {
		return &core.Project{ObjectMeta: meta(""), Spec: core.ProjectSpec{Owner: &user, CreatedBy: &user, Namespace: new("garden-a"), Description: new("d"), Purpose: new("p"),
			Members: []core.ProjectMember{{Subject: user, Roles: []string{"admin", "owner"}}}}}
	}
	mistakes.Check(t, valid, ValidateProject,
		R("API-12 names have no double hyphens", "metadata.name", `"a--b"`),
		R("API-12 a description says something", "spec.description", `""`),
		R("API-12 a purpose says something", "spec.purpose", `""`),
		R("API-12 an owner is somebody", "spec.owner.name", `""`),
		R("API-12 an owner is of a known kind", "spec.owner.kind", `"Robot"`),
		R("API-12 a user is of the RBAC group", "spec.owner.apiGroup", `"x"`),
		R("API-12 a service account has a namespace", "spec.owner", `{"kind":"ServiceAccount","name":"a"}`, "spec.owner.namespace"),
		R("API-12 a service account has no group", "spec.owner", `{"kind":"ServiceAccount","name":"a","namespace":"b","apiGroup":"c"}`, "spec.owner.apiGroup"),
		R("API-12 a service account has a name of its kind", "spec.owner", `{"kind":"ServiceAccount","name":"A B","namespace":"b"}`, "spec.owner.name"),
		R("API-12 members are named once", "spec.members", `[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"a","role":"admin"},{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"a","role":"viewer"}]`, "spec.members[1]"),
		R("API-12 roles are named once", "spec.members[0].roles", `["admin","admin"]`, "spec.members[0].roles[1]"),
		R("API-12 the old role is not named again", "spec.members[0].role", `"admin"`, "spec.members[0].roles"),
		R("API-12 roles of extensions are short", "spec.members[0].roles", `["extension:a-name-longer-than-twenty"]`, "spec.members[0].roles"),
		R("API-12 a project has one owner", "spec.members", `[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"a","roles":["owner"]},{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"b","roles":["owner"]}]`, "spec.members"),
		R("API-12 tolerations have keys", "spec.tolerations", `{"whitelist":[{"key":""}]}`, "spec.tolerations.whitelist[0].key"),
		R("two people delete shoots only", "spec.dualApprovalForDeletion", `[{"resource":"projects","selector":{}}]`, "spec.dualApprovalForDeletion[0].resource"),
		R("what two people delete is selected", "spec.dualApprovalForDeletion", `[{"resource":"shoots","selector":{"matchExpressions":[{"key":"a","operator":"x"}]}}]`, "spec.dualApprovalForDeletion[0].selector.matchExpressions[0].operator"),
	)
	mistakes.CheckUpdate(t, valid, ValidateProjectUpdate,
		R("API-12 the creator is fixed", "spec.createdBy.name", `"b"`, "spec.createdBy"),
		R("API-12 the namespace is fixed", "spec.namespace", `"garden-b"`),
		R("API-12 the owner stays", "spec.owner", `null`),
	)
	phased := func() *core.Project {
		project := valid()
		project.Status.Phase = core.ProjectReady
		return project
	}
	mistakes.CheckUpdate(t, phased, ValidateProjectStatusUpdate, R("API-12 a phase stays", "status.phase", `""`))
}

func TestSeedContract(t *testing.T) {
	mistakes.Check(t, validSeed, ValidateSeed,
		R("API-8 a seed has a provider", "spec.provider.type", `""`),
		R("API-8 a seed has a region", "spec.provider.region", `""`),
		R("API-8 zones are named once", "spec.provider.zones", `["a","a"]`, "spec.provider.zones[1]"),
		R("API-8 a seed has an ingress domain", "spec.ingress", `null`),
		R("API-8 an ingress domain is a domain", "spec.ingress.domain", `"a_b"`),
		R("API-8 an ingress controller is known", "spec.ingress.controller.kind", `"x"`),
		R("API-8 an ingress needs DNS", "spec.dns.provider", `null`),
		R("API-8 DNS has a type", "spec.dns.provider.type", `""`),
		R("API-8 DNS has credentials", "spec.dns.provider.secretRef", `{}`, "spec.dns.provider.secretRef.name", "spec.dns.provider.secretRef.namespace"),
		R("API-8 an internal domain is one", "spec.dns.internal", `{"type":"a","domain":"a_b","credentialsRef":{"apiVersion":"v1","kind":"Secret","name":"a","namespace":"b"}}`, "spec.dns.internal.domain"),
		R("API-8 a default domain has a type", "spec.dns.defaults", `[{"domain":"a.b","credentialsRef":{"apiVersion":"v1","kind":"Secret","name":"a","namespace":"b"}}]`, "spec.dns.defaults[0].type"),
		R("API-8 pods have a range", "spec.networks.pods", `"x"`),
		R("API-8 nodes have a range", "spec.networks.nodes", `"x"`),
		R("API-8 default services have a range", "spec.networks.shootDefaults.services", `"10.0.0.1/8"`),
		R("API-8 address families are known", "spec.networks.ipFamilies", `["x"]`, "spec.networks.ipFamilies[0]"),
		R("API-8 a backup has a provider", "spec.backup", `{"provider":"","region":"a","secretRef":{"name":"a","namespace":"b"}}`, "spec.backup.provider"),
		R("API-8 a backup has credentials", "spec.backup", `{"provider":"local"}`, "spec.backup.secretRef.name", "spec.backup.secretRef.namespace"),
		R("API-8 a kubeconfig has a place", "spec.secretRef", `{"name":"a"}`, "spec.secretRef.namespace"),
		R("API-8 load balancers of zones need two", "spec.settings.loadBalancerServices.zones", `[{"name":"a"}]`),
		R("API-8 load balancers are in zones of the seed", "spec.settings.loadBalancerServices.zones", `[{"name":"b"}]`, "spec.settings.loadBalancerServices.zones", "spec.settings.loadBalancerServices.zones[0].name"),
		R("API-8 load balancers of zones have a known policy", "spec.settings.loadBalancerServices.zones", `[{"name":"a","externalTrafficPolicy":"x"}]`, "spec.settings.loadBalancerServices.zones", "spec.settings.loadBalancerServices.zones[0].externalTrafficPolicy"),
		R("API-8 features have names", "spec.settings.verticalPodAutoscaler", `{"enabled":true,"featureGates":{"a b":true}}`, "spec.settings.verticalPodAutoscaler.featureGates[a b]"),
		R("API-8 extensions are named once", "spec.extensions", `[{"type":"a"},{"type":"a"}]`, "spec.extensions[1].type"),
		R("API-8 resources have names", "spec.resources", `[{"resourceRef":{"apiVersion":"v1","kind":"Secret","name":"a"}}]`, "spec.resources[0].name"),
	)
	backed := func() *core.Seed {
		seed := validSeed()
		seed.Spec.Networks.Nodes = new("10.0.0.0/16")
		seed.Spec.Backup = &core.Backup{Provider: "local", Region: new("r"), SecretRef: corev1.SecretReference{Name: "a", Namespace: "b"}}
		seed.Spec.DNS.Defaults = []core.SeedDNSProviderConfig{{Type: "a", Domain: "a.b", CredentialsRef: corev1.ObjectReference{APIVersion: "v1", Kind: "Secret", Name: "a", Namespace: "b"}}}
		seed.Status.ClusterIdentity = new("i")
		return seed
	}
	mistakes.CheckUpdate(t, backed, ValidateSeedUpdate,
		R("API-8 services keep their range", "spec.networks.services", `"127.98.0.0/16"`),
		R("API-8 nodes keep their range", "spec.networks.nodes", `"10.1.0.0/16"`),
		R("API-8 address families stay", "spec.networks.ipFamilies", `["IPv6"]`),
		R("API-8 the ingress domain stays", "spec.ingress.domain", `"x.y"`),
		R("API-8 the provider of backups stays", "spec.backup.provider", `"b"`),
		R("API-8 the region of backups stays", "spec.backup.region", `"s"`),
		R("API-8 there remain default domains", "spec.dns.defaults", `[]`),
	)
	mistakes.CheckUpdate(t, backed, ValidateSeedStatusUpdate,
		R("API-9 the identity stays", "status.clusterIdentity", `"j"`),
		R("API-9 progress is a percentage", "status.lastOperation", `{"type":"Reconcile","state":"Processing","progress":101,"description":"d","lastUpdateTime":null}`, "status.lastOperation.progress"),
	)
}

func TestBindingContracts(t *testing.T) {
	binding := func() *core.SecretBinding {
		return &core.SecretBinding{ObjectMeta: meta("garden-a"), SecretRef: corev1.SecretReference{Name: "a", Namespace: "b"}, Provider: &core.SecretBindingProvider{Type: "local"}}
	}
	mistakes.Check(t, binding, ValidateSecretBinding,
		R("API-13 a binding has a secret", "secretRef.name", `""`),
		R("API-13 a binding has a provider", "provider", `null`),
		R("API-13 a provider has a type", "provider.type", `""`),
		R("API-13 quotas have names", "quotas", `[{"namespace":"a"}]`, "quotas[0].name"),
		R("API-13 quotas are named once", "quotas", `[{"name":"a"},{"name":"a"}]`, "quotas[1]"),
	)
	mistakes.CheckUpdate(t, binding, ValidateSecretBindingUpdate,
		R("API-13 quotas are fixed", "quotas", `[{"name":"a"}]`, "quotas"),
		R("API-13 the provider is fixed", "provider.type", `"b"`, "provider"),
	)
	quota := func() *core.Quota {
		return &core.Quota{ObjectMeta: meta("garden-a"), Spec: core.QuotaSpec{Scope: corev1.ObjectReference{APIVersion: "v1", Kind: "Secret"}}}
	}
	mistakes.CheckUpdate(t, quota, ValidateQuotaUpdate,
		R("API-14 the scope is fixed", "spec.scope", `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Project"}`),
		R("API-14 metrics are known", "spec.metrics", `{"x":"1"}`, "spec.metrics[x]"),
	)
	class := func() *core.ExposureClass {
		return &core.ExposureClass{ObjectMeta: meta(""), Handler: "h", Scheduling: &core.ExposureClassScheduling{Tolerations: []core.Toleration{{Key: "a"}}}}
	}
	mistakes.Check(t, class, ValidateExposureClass,
		R("API-35 a handler has a name", "handler", `"a_b"`),
		R("API-35 a handler has a short name", "handler", `"a-name-that-is-longer-than-34-characters"`),
		R("API-35 tolerations have keys", "scheduling.tolerations[0].key", `""`),
		R("API-35 selectors are selectors", "scheduling.seedSelector", `{"matchLabels":{"a b":"c"}}`, "scheduling.seedSelector.matchLabels"),
	)
	mistakes.CheckUpdate(t, class, ValidateExposureClassUpdate,
		R("API-35 the handler is fixed", "handler", `"i"`),
		R("API-35 the scheduling is fixed", "scheduling.tolerations[0].key", `"b"`, "scheduling"),
	)
}

func TestControllerContracts(t *testing.T) {
	registration := func() *core.ControllerRegistration {
		r := &core.ControllerRegistration{ObjectMeta: meta(""), Spec: core.ControllerRegistrationSpec{
			Resources:  []core.ControllerResource{{Kind: "Network", Type: "a", Primary: new(false)}, {Kind: "Extension", Type: "a", Primary: new(false)}},
			Deployment: &core.ControllerRegistrationDeployment{DeploymentRefs: []core.DeploymentRef{{Name: "d"}}},
		}}
		core.SetObjectDefaults_ControllerRegistration(r)
		return r
	}
	mistakes.Check(t, registration, ValidateControllerRegistration,
		R("API-33 a kind is known", "spec.resources[0].kind", `"Wish"`),
		R("API-33 a type has a name", "spec.resources[0].type", `""`),
		R("API-33 kind and type are named once", "spec.resources", `[{"kind":"Network","type":"a"},{"kind":"Network","type":"a"}]`, "spec.resources[1]"),
		R("API-33 networks are not for all", "spec.resources[0].globallyEnabled", `true`),
		R("API-33 networks have no time", "spec.resources[0].reconcileTimeout", `"1s"`),
		R("API-33 a place of reconciling is known", "spec.resources[1].lifecycle.reconcile", `"x"`),
		R("API-33 a place of deleting is known", "spec.resources[1].lifecycle.delete", `"AfterWorker"`),
		R("API-33 a place of migrating is known", "spec.resources[1].lifecycle.migrate", `"AfterWorker"`),
		R("API-33 a cluster is known", "spec.resources[1].clusterCompatibility", `["moon"]`, "spec.resources[1].clusterCompatibility[0]"),
		R("API-33 what is enabled must fit", "spec.resources[1].autoEnable", `["seed"]`, "spec.resources[1].autoEnable[0]"),
		R("API-33 a policy is known", "spec.deployment.policy", `"x"`),
		R("API-33 there is one deployment", "spec.deployment.deploymentRefs", `[{"name":"a"},{"name":"b"}]`),
		R("API-33 a deployment has a name", "spec.deployment.deploymentRefs", `[{"name":""}]`, "spec.deployment.deploymentRefs[0].name"),
		R("API-33 a selector is one", "spec.deployment.seedSelector", `{"matchLabels":{"a b":"c"}}`, "spec.deployment.seedSelector.matchLabels"),
	)
	deployment := func() *core.ControllerDeployment {
		return &core.ControllerDeployment{ObjectMeta: meta(""), Type: "helm", ProviderConfig: runtime.RawExtension{Raw: []byte(`{"chart":""}`)}}
	}
	mistakes.Check(t, deployment, ValidateControllerDeployment,
		R("API-33 a deployment has a type", "type", `""`),
		R("API-33 a deployment by helm has a chart", "providerConfig", `null`),
	)
	newer := func() *corev1v1.ControllerDeployment {
		return &corev1v1.ControllerDeployment{ObjectMeta: meta(""), Helm: &corev1v1.HelmControllerDeployment{RawChart: []byte("x")}}
	}
	mistakes.Check(t, newer, ValidateControllerDeploymentV1,
		R("a chart is in one place", "helm.ociRepository", `{"ref":"a"}`, "helm"),
		R("a chart is somewhere", "helm", `{}`),
		R("a reference is complete", "helm", `{"ociRepository":{"ref":"a","tag":"b"}}`, "helm.ociRepository.ref"),
		R("a repository has a name", "helm", `{"ociRepository":{"tag":"b"}}`, "helm.ociRepository.repository"),
		R("a repository has a tag or a digest", "helm", `{"ociRepository":{"repository":"b"}}`, "helm.ociRepository.tag"),
		R("a digest is one", "helm", `{"ociRepository":{"repository":"b","digest":"c"}}`, "helm.ociRepository.digest"),
		R("resources are named once", "resources", `[{"name":"a","resourceRef":{"apiVersion":"v1","kind":"Secret","name":"a"}},{"name":"a","resourceRef":{"apiVersion":"v1","kind":"Secret","name":"a"}}]`, "resources[1].name"),
	)
	installation := func() *core.ControllerInstallation {
		return &core.ControllerInstallation{ObjectMeta: meta(""), Spec: core.ControllerInstallationSpec{RegistrationRef: corev1.ObjectReference{Name: "r"}, SeedRef: &corev1.ObjectReference{Name: "s"}}}
	}
	mistakes.Check(t, installation, ValidateControllerInstallation,
		R("API-33 an installation is of a registration", "spec.registrationRef.name", `""`),
		R("API-33 an installation is somewhere", "spec.seedRef", `null`),
		R("API-33 an installation is on a seed with a name", "spec.seedRef.name", `""`),
		R("API-33 an installation is in one place", "spec.shootRef", `{"name":"a"}`),
		R("API-33 an installation is in a shoot with a name", "spec", `{"registrationRef":{"name":"r"},"shootRef":{}}`, "spec.shootRef.name"),
	)
	mistakes.CheckUpdate(t, installation, ValidateControllerInstallationUpdate,
		R("API-33 the registration is fixed", "spec.registrationRef.name", `"x"`),
		R("API-33 the seed is fixed", "spec.seedRef.name", `"x"`),
	)
}

func TestBackupContracts(t *testing.T) {
	bucket := func() *core.BackupBucket {
		return &core.BackupBucket{ObjectMeta: meta(""), Spec: core.BackupBucketSpec{Provider: core.BackupBucketProvider{Type: "a", Region: "r"}, SeedName: new("s"), SecretRef: corev1.SecretReference{Name: "a", Namespace: "b"}}}
	}
	mistakes.Check(t, bucket, ValidateBackupBucket,
		R("API-31 a bucket has a provider", "spec.provider.type", `""`),
		R("API-31 a bucket has a region", "spec.provider.region", `""`),
		R("API-31 a bucket is of a seed", "spec.seedName", `null`),
		R("API-31 a bucket has credentials", "spec.secretRef.name", `""`),
		R("API-31 credentials are of a known kind", "spec.credentialsRef", `{"apiVersion":"v1","kind":"Pod","name":"a","namespace":"b"}`, "spec.credentialsRef.kind"),
	)
	mistakes.CheckUpdate(t, bucket, ValidateBackupBucketUpdate,
		R("API-31 the provider is fixed", "spec.provider.region", `"x"`, "spec.provider"),
		R("API-31 the seed is fixed", "spec.seedName", `"x"`),
	)
	entry := func() *core.BackupEntry {
		return &core.BackupEntry{ObjectMeta: meta("garden-a"), Spec: core.BackupEntrySpec{BucketName: "b", SeedName: new("s")}}
	}
	mistakes.Check(t, entry, ValidateBackupEntry,
		R("API-32 an entry is in a bucket", "spec.bucketName", `""`),
		R("API-32 an entry is of a seed", "spec.seedName", `null`),
	)
	mistakes.CheckUpdate(t, entry, ValidateBackupEntryUpdate,
		R("API-32 the bucket is fixed", "spec.bucketName", `"x"`),
		mistakes.Fine("API-32 the seed may change", "spec.seedName", `"x"`),
	)
	between := func(state core.LastOperationState) func() *core.BackupEntry {
		return func() *core.BackupEntry {
			between := entry()
			between.Status.LastOperation = &core.LastOperation{Type: core.LastOperationTypeMigrate, State: state}
			return between
		}
	}
	mistakes.CheckUpdate(t, between(core.LastOperationStateSucceeded), ValidateBackupEntryUpdate,
		mistakes.Fine("MIG-11 between two seeds the bucket may change", "spec.bucketName", `"x"`),
	)
	mistakes.CheckUpdate(t, between(core.LastOperationStateAborted), ValidateBackupEntryUpdate,
		mistakes.Fine("MIG-15 so it may if the former seed has not helped", "spec.bucketName", `"x"`),
	)
	mistakes.CheckUpdate(t, between(core.LastOperationStateProcessing), ValidateBackupEntryUpdate,
		R("MIG-11 not before", "spec.bucketName", `"x"`),
	)
	secret := func() *core.InternalSecret {
		return &core.InternalSecret{ObjectMeta: meta("garden-a"), Type: corev1.SecretTypeOpaque, Immutable: new(true), Data: map[string][]byte{"a": []byte("b")}}
	}
	mistakes.CheckUpdate(t, secret, ValidateInternalSecretUpdate,
		R("the type is fixed", "type", `"x/y"`),
		R("what is immutable stays so", "immutable", `false`),
		mistakes.Fine("what is immutable stays as it is", "data", `{"a":"Yg=="}`),
		R("what is immutable does not change", "data", `{"a":"Yw=="}`),
		R("keys are keys", "data", `{"a b":"Yg=="}`, "data", "data[a b]"),
	)
}
