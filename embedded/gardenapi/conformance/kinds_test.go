package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"

	corev1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	settings "github.com/gardener-up/gardener-up/embedded/apis/settings/v1alpha1"
	corevalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	operationsvalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/operations"
	securityvalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/security"
	seedmanagementvalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/seedmanagement"
	settingsvalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/settings"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/scheme"
)

// validator checks a new object, and a change of it.
type validator struct {
	create func(runtime.Object) field.ErrorList
	update func(object, old runtime.Object) field.ErrorList
}

func checks[T runtime.Object](create func(T) field.ErrorList, update func(object, old T) field.ErrorList) validator {
	v := validator{create: func(o runtime.Object) field.ErrorList { return create(o.(T)) }}
	if update != nil {
		v.update = func(o, old runtime.Object) field.ErrorList { return update(o.(T), old.(T)) }
	}
	return v
}

var validators = map[schema.GroupVersionKind]validator{
	kind("core.gardener.cloud/v1", "ControllerDeployment"):                 checks[*corev1.ControllerDeployment](corevalidation.ValidateControllerDeploymentV1, nil),
	kind("core.gardener.cloud/v1beta1", "BackupBucket"):                    checks(corevalidation.ValidateBackupBucket, corevalidation.ValidateBackupBucketUpdate),
	kind("core.gardener.cloud/v1beta1", "BackupEntry"):                     checks(corevalidation.ValidateBackupEntry, corevalidation.ValidateBackupEntryUpdate),
	kind("core.gardener.cloud/v1beta1", "CloudProfile"):                    checks(corevalidation.ValidateCloudProfile, corevalidation.ValidateCloudProfileUpdate),
	kind("core.gardener.cloud/v1beta1", "ControllerDeployment"):            checks(corevalidation.ValidateControllerDeployment, corevalidation.ValidateControllerDeploymentUpdate),
	kind("core.gardener.cloud/v1beta1", "ControllerInstallation"):          checks(corevalidation.ValidateControllerInstallation, corevalidation.ValidateControllerInstallationUpdate),
	kind("core.gardener.cloud/v1beta1", "ControllerRegistration"):          checks(corevalidation.ValidateControllerRegistration, corevalidation.ValidateControllerRegistrationUpdate),
	kind("core.gardener.cloud/v1beta1", "ExposureClass"):                   checks(corevalidation.ValidateExposureClass, corevalidation.ValidateExposureClassUpdate),
	kind("core.gardener.cloud/v1beta1", "InternalSecret"):                  checks(corevalidation.ValidateInternalSecret, corevalidation.ValidateInternalSecretUpdate),
	kind("core.gardener.cloud/v1beta1", "NamespacedCloudProfile"):          checks(corevalidation.ValidateNamespacedCloudProfile, corevalidation.ValidateNamespacedCloudProfileUpdate),
	kind("core.gardener.cloud/v1beta1", "Plant"):                           checks(corevalidation.ValidatePlant, corevalidation.ValidatePlantUpdate),
	kind("core.gardener.cloud/v1beta1", "Project"):                         checks(corevalidation.ValidateProject, corevalidation.ValidateProjectUpdate),
	kind("core.gardener.cloud/v1beta1", "Quota"):                           checks(corevalidation.ValidateQuota, corevalidation.ValidateQuotaUpdate),
	kind("core.gardener.cloud/v1beta1", "SecretBinding"):                   checks(corevalidation.ValidateSecretBinding, corevalidation.ValidateSecretBindingUpdate),
	kind("core.gardener.cloud/v1beta1", "Seed"):                            checks(corevalidation.ValidateSeed, corevalidation.ValidateSeedUpdate),
	kind("core.gardener.cloud/v1beta1", "Shoot"):                           checks(corevalidation.ValidateShoot, corevalidation.ValidateShootUpdate),
	kind("core.gardener.cloud/v1beta1", "ShootState"):                      checks(corevalidation.ValidateShootState, corevalidation.ValidateShootStateUpdate),
	kind("operations.gardener.cloud/v1alpha1", "Bastion"):                  checks[*operations.Bastion](operationsvalidation.ValidateBastion, operationsvalidation.ValidateBastionUpdate),
	kind("security.gardener.cloud/v1alpha1", "CredentialsBinding"):         checks[*security.CredentialsBinding](securityvalidation.ValidateCredentialsBinding, securityvalidation.ValidateCredentialsBindingUpdate),
	kind("security.gardener.cloud/v1alpha1", "WorkloadIdentity"):           checks(securityvalidation.ValidateWorkloadIdentity, securityvalidation.ValidateWorkloadIdentityUpdate),
	kind("seedmanagement.gardener.cloud/v1alpha1", "Gardenlet"):            checks[*seedmanagement.Gardenlet](seedmanagementvalidation.ValidateGardenlet, seedmanagementvalidation.ValidateGardenletUpdate),
	kind("seedmanagement.gardener.cloud/v1alpha1", "ManagedSeed"):          checks(seedmanagementvalidation.ValidateManagedSeed, seedmanagementvalidation.ValidateManagedSeedUpdate),
	kind("seedmanagement.gardener.cloud/v1alpha1", "ManagedSeedSet"):       checks(seedmanagementvalidation.ValidateManagedSeedSet, seedmanagementvalidation.ValidateManagedSeedSetUpdate),
	kind("seedmanagement.gardener.cloud/v1alpha1", "SeedAutoscaler"):       checks(seedmanagementvalidation.ValidateSeedAutoscaler, seedmanagementvalidation.ValidateSeedAutoscalerUpdate),
	kind("settings.gardener.cloud/v1alpha1", "ClusterOpenIDConnectPreset"): checks[*settings.ClusterOpenIDConnectPreset](settingsvalidation.ValidateClusterOpenIDConnectPreset, settingsvalidation.ValidateClusterOpenIDConnectPresetUpdate),
	kind("settings.gardener.cloud/v1alpha1", "OpenIDConnectPreset"):        checks(settingsvalidation.ValidateOpenIDConnectPreset, settingsvalidation.ValidateOpenIDConnectPresetUpdate),
}

func kind(version, name string) schema.GroupVersionKind {
	gv, err := schema.ParseGroupVersion(version)
	if err != nil {
		panic(err)
	}
	return gv.WithKind(name)
}

var (
	types   = scheme.Served()
	decoder = serializer.NewCodecFactory(types, serializer.EnableStrict).UniversalDeserializer()
)

// read decodes a manifest strictly, without defaults, and tells its kind.
func read(text []byte) (runtime.Object, schema.GroupVersionKind, error) {
	object, gvk, err := decoder.Decode(text, nil, nil)
	if err != nil {
		return nil, schema.GroupVersionKind{}, err
	}
	return object, *gvk, nil
}

// manifests are the full examples by file name.
func manifests(tb testing.TB) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob("../../../examples/full/*.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	out := map[string][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(file), ".yaml")] = text
	}
	if len(out) < len(validators) {
		tb.Fatalf("%d examples are less than %d kinds", len(out), len(validators))
	}
	return out
}

func describe(errs field.ErrorList) string {
	if len(errs) == 0 {
		return ""
	}
	return fmt.Sprint(errs.ToAggregate())
}
