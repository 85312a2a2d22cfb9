package admission

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/scheme"
	"github.com/gardener-up/gardener-up/embedded/testmutation"
)

// One target for each plugin, so that each can be fuzzed for itself. TestEachPluginIsFuzzed knows those that are missing.

func FuzzResourceReferenceManager(f *testing.F)   { fuzz(f, "ResourceReferenceManager") }
func FuzzExtensionValidator(f *testing.F)         { fuzz(f, "ExtensionValidator") }
func FuzzExtensionLabels(f *testing.F)            { fuzz(f, "ExtensionLabels") }
func FuzzPlantValidator(f *testing.F)             { fuzz(f, "PlantValidator") }
func FuzzShootTolerationRestriction(f *testing.F) { fuzz(f, "ShootTolerationRestriction") }
func FuzzShootExposureClass(f *testing.F)         { fuzz(f, "ShootExposureClass") }
func FuzzShootDNS(f *testing.F)                   { fuzz(f, "ShootDNS") }
func FuzzShootManagedSeed(f *testing.F)           { fuzz(f, "ShootManagedSeed") }
func FuzzShootNodeLocalDNSEnabledByDefault(f *testing.F) {
	fuzz(f, "ShootNodeLocalDNSEnabledByDefault")
}
func FuzzShootDNSRewriting(f *testing.F)               { fuzz(f, "ShootDNSRewriting") }
func FuzzShootQuotaValidator(f *testing.F)             { fuzz(f, "ShootQuotaValidator") }
func FuzzShootValidator(f *testing.F)                  { fuzz(f, "ShootValidator") }
func FuzzSeedValidator(f *testing.F)                   { fuzz(f, "SeedValidator") }
func FuzzNamespacedCloudProfileValidator(f *testing.F) { fuzz(f, "NamespacedCloudProfileValidator") }
func FuzzControllerRegistrationResources(f *testing.F) { fuzz(f, "ControllerRegistrationResources") }
func FuzzProjectValidator(f *testing.F)                { fuzz(f, "ProjectValidator") }
func FuzzDeletionConfirmation(f *testing.F)            { fuzz(f, "DeletionConfirmation") }
func FuzzOpenIDConnectPreset(f *testing.F)             { fuzz(f, "OpenIDConnectPreset") }
func FuzzClusterOpenIDConnectPreset(f *testing.F)      { fuzz(f, "ClusterOpenIDConnectPreset") }
func FuzzCustomVerbAuthorizer(f *testing.F)            { fuzz(f, "CustomVerbAuthorizer") }
func FuzzShootVPAEnabledByDefault(f *testing.F)        { fuzz(f, "ShootVPAEnabledByDefault") }
func FuzzManagedSeed(f *testing.F)                     { fuzz(f, "ManagedSeed") }
func FuzzManagedSeedShoot(f *testing.F)                { fuzz(f, "ManagedSeedShoot") }
func FuzzBastion(f *testing.F)                         { fuzz(f, "Bastion") }

// hostile are texts that parsers of plugins might stumble over, and what leads to other branches.
var hostile = []string{
	"", "null", "{}", "[]", "0", "-1", "true", `"\u0000"`, "1.36.3", "1.99.99", "999999999999999999999.0.0", "10.0.0.0/8", "fd00::/8", "0.0.0.0/0", "100Mi", "-1Gi", "1e30",
	"example.org", "*.example.org", "garden.example.net", strings.Repeat("a.", 130), "../../x", "local", "garden", "true", "CloudProfile", "NamespacedCloudProfile", "WorkloadIdentity",
	`{"apiVersion":"gardenlet.config.gardener.cloud/v1alpha1","kind":"GardenletConfiguration","seedConfig":{"spec":null}}`,
	`{"apiVersion":"v1","kind":"Config","users":[{"user":{"exec":{"command":"sh"}}}]}`, `{"a":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`,
	"0 0 * * *", "Mon, 99:99", "220000+0100", "00000000-0000-0000-0000-000000000000", "P1Y", "\xff\xfe", "\u202e", "a\nb: c",
}

// fuzz sends requests with changed objects to a plugin. It must answer each, without a panic, and without taking much more memory than
// the objects have. What it refuses does not matter here.
func fuzz(f *testing.F, name string) {
	kinds := len(theirs()) + len(operators())
	for kind := range kinds {
		f.Add(byte(0), byte(kind), byte(kind), []byte{}, "")
		f.Add(byte(3), byte(kind), byte(kind), []byte{}, "")
	}
	for n, text := range hostile { // at ten places, of Shoots and of another kind
		for _, kind := range []int{0, n % kinds} {
			edits := []byte{}
			for place := range byte(10) {
				edits = append(edits, place, byte(n*37+kind*11)+place*23, byte(n)+place)
			}
			f.Add(byte(n), byte(kind), byte(n), edits, text)
		}
	}
	types, garden := scheme.Served(), gardenOf()
	f.Fuzz(func(t *testing.T, operation, target, other byte, edits []byte, text string) {
		world := slices.Concat(theirs(), operators())
		before := world[int(target)%len(world)]
		changed, ok := testmutation.Mutate(before, edits, text)
		if !ok {
			return
		}
		if at := int(other) % len(world); operation&4 != 0 { // one that the plugin reads was changed, too
			if one, ok := testmutation.Mutate(world[at], slices.Concat(edits[len(edits)/2:], edits), text); ok {
				types.Default(one)
				world[at] = one
			}
		}
		types.Default(before)
		types.Default(changed)
		plugin := built(name)
		handOver(plugin, world, garden)
		request := requestOf(operation, changed, before)
		if used, limit := allocated(func() { _ = admissiontest.Admit(plugin, request) }), limitOf(world, changed); used > limit {
			t.Errorf("%d bytes were allocated, %d at most are right", used, limit)
		}
	})
}

func requestOf(operation byte, changed, before kruntime.Object) admission.Attributes {
	switch operation & 3 {
	case 0:
		return admissiontest.Create(changed)
	case 1:
		return admissiontest.Update(changed, before)
	case 2:
		return admissiontest.Update(before, changed)
	}
	return admissiontest.Delete(changed)
}

// built is a plugin as the server makes it.
func built(name string) admission.Interface {
	for _, one := range plugins() {
		if one.name == name {
			return admissiontest.New[admission.Interface](one.register)
		}
	}
	panic("there is no plugin " + name)
}

// Plugins may allocate base bytes, and each byte that they read so often.
const base, often = 8 << 20, 100

func limitOf(world []kruntime.Object, changed kruntime.Object) uint64 {
	size := len(testmutation.JSON(changed))
	for _, one := range world {
		size += len(testmutation.JSON(one))
	}
	return base + often*uint64(size)
}

// allocated measures all that is allocated, also what is garbage at once.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestEachPluginIsFuzzed(t *testing.T) {
	source, err := os.ReadFile("fuzz_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range plugins() {
		ours := one.register != nil && one.name != "ResourceQuota" // which is Kubernetes' own
		if ours && !strings.Contains(string(source), "func Fuzz"+one.name+"(f *testing.F)") {
			t.Errorf("plugin %s is not fuzzed", one.name)
		}
	}
}
