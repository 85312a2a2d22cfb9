package v1alpha1

import (
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Types of a ManagedResource's conditions.
const (
	// ResourcesApplied means that all objects are applied.
	ResourcesApplied gardencorev1beta1.ConditionType = "ResourcesApplied"
	// ResourcesHealthy means that all objects are there and healthy.
	ResourcesHealthy gardencorev1beta1.ConditionType = "ResourcesHealthy"
	// ResourcesProgressing means that objects are still being rolled out.
	ResourcesProgressing gardencorev1beta1.ConditionType = "ResourcesProgressing"
)

// Reasons of a ManagedResource's conditions.
const (
	ConditionApplySucceeded          = "ApplySucceeded"
	ConditionApplyFailed             = "ApplyFailed"
	ConditionApplyProgressing        = "ApplyProgressing"
	ConditionDecodingFailed          = "DecodingFailed"
	ConditionDeletionFailed          = "DeletionFailed"
	ConditionDeletionPending         = "DeletionPending"
	ReleaseOfOrphanedResourcesFailed = "ReleaseOfOrphanedResourcesFailed"
	ConditionChecksPending           = "ChecksPending"
	ConditionManagedResourceIgnored  = "ManagedResourceIgnored"
	ConditionResourcesHealthy        = "ResourcesHealthy"
	ConditionResourcesRolledOut      = "ResourcesRolledOut"
)

// Annotations of applied objects, and of ManagedResources where that is said.
const (
	// Ignore leaves the object, or all of the ManagedResource, as it is.
	Ignore = "resources.gardener.cloud/ignore"
	// Mode says how the object is treated; the only value is ModeIgnore.
	Mode = "resources.gardener.cloud/mode"
	// ModeIgnore neither applies nor deletes the object.
	ModeIgnore = "Ignore"
	// KeepObject leaves the object in place when it is no longer described.
	KeepObject = "resources.gardener.cloud/keep-object"
	// DeleteOnInvalidUpdate makes an update that is refused as invalid a deletion and a creation.
	DeleteOnInvalidUpdate = "resources.gardener.cloud/delete-on-invalid-update"
	// PreserveReplicas keeps the number of replicas somebody else set.
	PreserveReplicas = "resources.gardener.cloud/preserve-replicas"
	// PreserveResources keeps the requests and limits somebody else set.
	PreserveResources = "resources.gardener.cloud/preserve-resources"
	// SkipHealthCheck leaves the object out of the health of the ManagedResource.
	SkipHealthCheck = "resources.gardener.cloud/skip-health-check"
	// OriginAnnotation names the ManagedResource an object comes from: [<cluster ID>:]<namespace>/<name>.
	OriginAnnotation = "resources.gardener.cloud/origin"
	// FinalizeDeletionAfter is the duration after which the finalizers of a deleted object are removed.
	FinalizeDeletionAfter = "resources.gardener.cloud/finalize-deletion-after"
)

// Labels.
const (
	// ManagedBy says who applies an object.
	ManagedBy = "resources.gardener.cloud/managed-by"
	// GardenerManager is the value of ManagedBy of our resource managers.
	GardenerManager = "gardener"
	// ResourceManagerPurpose says what a secret is for.
	ResourceManagerPurpose = "resources.gardener.cloud/purpose"
	// LabelPurposeTokenRequest is the value of ResourceManagerPurpose of secrets to be filled with a token.
	LabelPurposeTokenRequest = "token-requestor"
	// ResourceManagerClass says which resource manager fills a secret.
	ResourceManagerClass = "resources.gardener.cloud/class"
	// ResourceManagerClassGarden is the value for gardenlets, which request tokens of the garden for their seed.
	ResourceManagerClassGarden = "garden"
	// ResourceManagerClassShoot is the value for the resource manager of a shoot or of the garden.
	ResourceManagerClassShoot = "shoot"
	// LabelKeyGarbageCollectable marks secrets and config maps to be deleted when nothing refers to them.
	LabelKeyGarbageCollectable = "resources.gardener.cloud/garbage-collectable-reference"
	// LabelValueGarbageCollectable is the value of LabelKeyGarbageCollectable.
	LabelValueGarbageCollectable = "true"
	// TokenInvalidatorSkip on a service account keeps its static tokens valid if "true".
	TokenInvalidatorSkip = "token-invalidator.resources.gardener.cloud/skip"
	// TokenInvalidatorConsider on a secret makes the webhook invalidate its token at once if "true".
	TokenInvalidatorConsider = "token-invalidator.resources.gardener.cloud/consider"
)

// Labels and annotations by which webhooks are told what to do.
const (
	// ProjectedTokenSkip on a pod leaves out the token volume if "true".
	ProjectedTokenSkip = "projected-token-mount.resources.gardener.cloud/skip"
	// ProjectedTokenExpirationSeconds is a pod's annotation for the life of its token.
	ProjectedTokenExpirationSeconds = "projected-token-mount.resources.gardener.cloud/expiration-seconds"
	// PodTopologySpreadConstraintsSkip on a pod leaves its constraints as they are if "true".
	PodTopologySpreadConstraintsSkip = "topology-spread-constraints.resources.gardener.cloud/skip"
	// SeccompProfileSkip on a pod leaves out the default profile if "true".
	SeccompProfileSkip = "seccompprofile.resources.gardener.cloud/skip"
	// SystemComponentsConfigSkip on a pod leaves out node selector and tolerations if "true".
	SystemComponentsConfigSkip = "system-components-config.resources.gardener.cloud/skip"
	// HighAvailabilityConfigConsider on a namespace or workload subjects it to the configuration if "true".
	HighAvailabilityConfigConsider = "high-availability-config.resources.gardener.cloud/consider"
	// HighAvailabilityConfigSkip on a workload exempts it if "true".
	HighAvailabilityConfigSkip = "high-availability-config.resources.gardener.cloud/skip"
	// HighAvailabilityConfigType is a workload's label: HighAvailabilityConfigTypeController or …Server.
	HighAvailabilityConfigType = "high-availability-config.resources.gardener.cloud/type"
	// HighAvailabilityConfigTypeController has a leader, so that one replica will do without failure tolerance.
	HighAvailabilityConfigTypeController = "controller"
	// HighAvailabilityConfigTypeServer answers requests, so that there are always two replicas.
	HighAvailabilityConfigTypeServer = "server"
	// HighAvailabilityConfigReplicas is a workload's annotation with the number of replicas it needs.
	HighAvailabilityConfigReplicas = "high-availability-config.resources.gardener.cloud/replicas"
	// HighAvailabilityConfigHostSpread is a workload's annotation that forbids two pods per host if "true".
	HighAvailabilityConfigHostSpread = "high-availability-config.resources.gardener.cloud/host-spread"
	// HighAvailabilityConfigZones is a namespace's annotation with its zones, separated by commas.
	HighAvailabilityConfigZones = "high-availability-config.resources.gardener.cloud/zones"
	// HighAvailabilityConfigZonePinning is a namespace's annotation that keeps pods in those zones if "true".
	HighAvailabilityConfigZonePinning = "high-availability-config.resources.gardener.cloud/zone-pinning"
	// HighAvailabilityConfigFailureToleranceType is a namespace's annotation: node, zone or empty.
	HighAvailabilityConfigFailureToleranceType = "high-availability-config.resources.gardener.cloud/failure-tolerance-type"
	// EndpointSliceHintsConsider on an endpoint slice keeps its traffic in zones if "true".
	EndpointSliceHintsConsider = "endpoint-slice-hints.resources.gardener.cloud/consider"
	// ShootEnforceZone is a namespace's annotation that keeps its pods in one zone, a named one unless empty.
	ShootEnforceZone = "control-plane.shoot.gardener.cloud/enforce-zone"
	// APIServerProxyInject on a pod leaves out KUBERNETES_SERVICE_HOST if "disable".
	APIServerProxyInject = "apiserver-proxy.networking.gardener.cloud/inject"
)

// Annotations of secrets to be filled with a token.
const (
	// ServiceAccountName names the service account in the target cluster.
	ServiceAccountName = "serviceaccount.resources.gardener.cloud/name"
	// ServiceAccountNamespace is the namespace of the service account.
	ServiceAccountNamespace = "serviceaccount.resources.gardener.cloud/namespace"
	// ServiceAccountTokenExpirationDuration is how long a token is valid; 12h when unset.
	ServiceAccountTokenExpirationDuration = "serviceaccount.resources.gardener.cloud/token-expiration-duration"
	// ServiceAccountTokenRenewTimestamp is when the token is renewed, RFC 3339.
	ServiceAccountTokenRenewTimestamp = "serviceaccount.resources.gardener.cloud/token-renew-timestamp"
	// TokenRequestorTargetSecretName names a secret of the target cluster to be filled as well.
	TokenRequestorTargetSecretName = "token-requestor.resources.gardener.cloud/target-secret-name"
	// TokenRequestorTargetSecretNamespace is the namespace of that secret.
	TokenRequestorTargetSecretNamespace = "token-requestor.resources.gardener.cloud/target-secret-namespace"
	// ServiceAccountLabels are labels of the service account as a JSON object.
	ServiceAccountLabels = "serviceaccount.resources.gardener.cloud/labels"
	// ServiceAccountInjectCABundle asks for the authority of the target cluster beside the token.
	ServiceAccountInjectCABundle = "serviceaccount.resources.gardener.cloud/inject-ca-bundle"
	// DataKeyCABundle is the key of that authority.
	DataKeyCABundle = "bundle.crt"
	// DataKeyToken is the key of a bare token in the secret.
	DataKeyToken = "token"
	// DataKeyKubeconfig is the key of a kubeconfig whose user gets the token.
	DataKeyKubeconfig = "kubeconfig"
)

const (
	// FinalizerName is on ManagedResources of the default class; others append "-<class>".
	FinalizerName = "resources.gardener.cloud/gardener-resource-manager"
	// BrotliCompressionSuffix ends the keys of secrets whose values are compressed.
	BrotliCompressionSuffix = ".br"
	// CompressedDataKey is the usual key of compressed objects.
	CompressedDataKey = "data.yaml.br"
	// AllNamespaces makes a resource manager watch all namespaces.
	AllNamespaces = ""
)
