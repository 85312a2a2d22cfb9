package config

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	admissionconfig "github.com/gardener-up/gardener-up/controllers/admissioncontroller/config"
	controllermanagerconfig "github.com/gardener-up/gardener-up/controllers/controllermanager/config"
	gardenletconfig "github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	operatorconfig "github.com/gardener-up/gardener-up/controllers/operator/config"
	schedulerconfig "github.com/gardener-up/gardener-up/controllers/scheduler/config"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// lowerLoopback is the range for the pods and Services of embedded seeds. The nodes of shoots use the pods' addresses in the
// upper half (see embedded/node).
var lowerLoopback = netip.MustParsePrefix("127.0.0.0/9")

// Validate returns all mistakes of a defaulted configuration.
func Validate(l *Landscape) field.ErrorList {
	var errs field.ErrorList
	if l.APIVersion != APIVersion {
		errs = append(errs, field.NotSupported(field.NewPath("apiVersion"), l.APIVersion, []string{APIVersion}))
	}
	if l.Kind != Kind {
		errs = append(errs, field.NotSupported(field.NewPath("kind"), l.Kind, []string{Kind}))
	}
	errs = append(errs, validateLabel(field.NewPath("name"), l.Name)...)
	for _, problem := range validation.IsDNS1123Subdomain(l.Domain) {
		errs = append(errs, field.Invalid(field.NewPath("domain"), l.Domain, problem))
	}
	errs = append(errs, oneOf(field.NewPath("containers"), l.Containers, ContainersAuto, ContainersSandbox, ContainersSimulate)...)
	errs = append(errs, validateMirrors(field.NewPath("registryMirrors"), l.RegistryMirrors)...)
	errs = append(errs, validateBundle(field.NewPath("bundle"), l)...)
	errs = append(errs, validateImage(field.NewPath("image"), l.Image)...)
	errs = append(errs, validateFrontDoor(field.NewPath("frontDoor"), l.FrontDoor)...)
	errs = append(errs, validateGarden(field.NewPath("garden"), l.Garden)...)
	errs = append(errs, validateStorage(field.NewPath("storage"), l.Storage)...)
	errs = append(errs, validateTenants(field.NewPath("tenants"), l.Tenants)...)
	errs = append(errs, validateSeed(field.NewPath("seed"), l.Seed)...)
	errs = append(errs, validateFurther(field.NewPath("seeds").Index, l)...)
	errs = append(errs, validateGardenlet(field.NewPath("gardenlet"), l)...)
	errs = append(errs, validateAdmissionController(field.NewPath("admissionController"), l)...)
	errs = append(errs, validateControllerManager(field.NewPath("controllerManager"), l)...)
	errs = append(errs, validateScheduler(field.NewPath("scheduler"), l)...)
	errs = append(errs, validateOperator(field.NewPath("operator"), l)...)
	errs = append(errs, validateBackup(field.NewPath("backup"), l.Backup, l.Seed.Provider)...)
	errs = append(errs, oneOf(field.NewPath("log", "level"), l.Log.Level, "info", "debug", "error")...)
	if size := l.Log.MaxSize; size.Value() < minLogSize {
		errs = append(errs, field.Invalid(field.NewPath("log", "maxSize"), size.String(), "must be at least 1Mi"))
	}
	return append(errs, oneOf(field.NewPath("log", "format"), l.Log.Format, "json", "text")...)
}

// validateImage requires a tag and forbids a digest: the landscape also builds the image under this name, for nodes that it
// can copy the image to.
func validateImage(path *field.Path, image string) field.ErrorList {
	if image == "" {
		return nil
	}
	if _, err := name.NewTag(image, name.StrictValidation); err != nil {
		return field.ErrorList{field.Invalid(path, image, err.Error())}
	}
	return nil
}

// validateGardenlet checks keys and their types. Values are validated after they were merged with ours.
func validateGardenlet(path *field.Path, l *Landscape) field.ErrorList {
	if len(l.Gardenlet) == 0 {
		return nil
	}
	parsed, err := gardenletconfig.Parse(l.Gardenlet)
	if err != nil {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	if err := parsed.ValidateGates(); err != nil {
		return field.ErrorList{field.Invalid(path.Child("featureGates"), field.OmitValueType{}, err.Error())}
	}
	if errs := validateHandlers(path.Child("exposureClassHandlers"), parsed.ExposureClassHandlers, l); len(errs) > 0 {
		return errs
	}
	if seed := parsed.SeedConfig; seed != nil && seed.Name != "" && seed.Name != l.Seed.Name {
		return field.ErrorList{field.Invalid(path.Child("seedConfig", "metadata", "name"), seed.Name, "is set by seed.name")}
	}
	return nil
}

func validateControllerManager(path *field.Path, l *Landscape) field.ErrorList {
	if len(l.ControllerManager) == 0 {
		return nil
	}
	if _, err := controllermanagerconfig.Decode(l.ControllerManager); err != nil {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	return nil
}

func validateScheduler(path *field.Path, l *Landscape) field.ErrorList {
	if _, err := schedulerconfig.Decode(l.Scheduler); err != nil {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	return nil
}

func validateOperator(path *field.Path, l *Landscape) field.ErrorList {
	if _, err := operatorconfig.Decode(l.Operator); err != nil {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	return nil
}

func validateAdmissionController(path *field.Path, l *Landscape) field.ErrorList {
	if _, err := admissionconfig.Decode(l.AdmissionController); err != nil {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	return nil
}

// maxKindHandlers is the number of handlers of exposure classes that a kind seed has ports for.
const maxKindHandlers = 50

// validateHandlers requires different addresses of all front doors, and different namespaces of all front doors that are
// pods.
func validateHandlers(path *field.Path, handlers []gardenletconfig.ExposureClassHandler, l *Landscape) field.ErrorList {
	var errs field.ErrorList
	if l.Seed.Kind() && len(handlers) > maxKindHandlers {
		errs = append(errs, field.TooMany(path, len(handlers), maxKindHandlers))
	}
	namespaces := map[string]bool{constants.DefaultSNIIngressNamespace: true}
	taken := map[string]bool{l.FrontDoor.Address: true}
	for i, handler := range handlers {
		at, address := path.Index(i).Child("sni", "ingress", "serviceExternalIP"), ""
		if handler.SNI != nil && handler.SNI.Ingress != nil {
			address = handler.Address()
		}
		if addr, err := netip.ParseAddr(address); err != nil || !addr.Is4() || !addr.IsLoopback() {
			errs = append(errs, field.Invalid(at, address, "must be a loopback address such as 127.0.0.2, where the front door of the handler is"))
		}
		if taken[address] {
			errs = append(errs, field.Duplicate(at, address))
		}
		taken[address] = true
		if handler.SNI == nil || handler.SNI.Ingress == nil || handler.SNI.Ingress.Namespace == nil || !l.Seed.Kind() {
			continue
		}
		if namespace := *handler.SNI.Ingress.Namespace; namespaces[namespace] {
			errs = append(errs, field.Duplicate(path.Index(i).Child("sni", "ingress", "namespace"), namespace))
		} else {
			namespaces[namespace] = true
		}
	}
	return errs
}

func validateFrontDoor(path *field.Path, f FrontDoor) field.ErrorList {
	var errs field.ErrorList
	if addr, err := netip.ParseAddr(f.Address); err != nil || !addr.IsLoopback() {
		errs = append(errs, field.Invalid(path.Child("address"), f.Address, "must be a loopback address such as 127.0.0.1"))
	}
	if port := *f.Port; port < 0 || port > 65535 {
		errs = append(errs, field.Invalid(path.Child("port"), port, "must be between 0 and 65535; 0 lets the system choose"))
	}
	return errs
}

// minLogSize holds a start.
const minLogSize = 1 << 20

// minQuota has room for what a landscape itself stores. maxQuota is the largest database that etcd is made for.
const minQuota, maxQuota = 32 << 20, 8 << 30

func validateStorage(path *field.Path, s Storage) field.ErrorList {
	if quota := s.Quota.Value(); quota < minQuota || quota > maxQuota {
		return field.ErrorList{field.Invalid(path.Child("quota"), s.Quota.String(), "must be between 32Mi and 8Gi")}
	}
	return nil
}

func validateSeed(path *field.Path, s Seed) field.ErrorList {
	errs := validateLabel(path.Child("name"), s.Name)
	errs = append(errs, oneOf(path.Child("provider"), s.Provider, ProviderEmbedded, ProviderKind)...)
	if s.NodeImage != "" && !s.Kind() {
		errs = append(errs, field.Forbidden(path.Child("nodeImage"), "only seeds of provider kind have a node image"))
	}
	if len(s.NodeImages) > 0 && !s.Kind() {
		errs = append(errs, field.Forbidden(path.Child("nodeImages"), "only seeds of provider kind have node images"))
	}
	errs = append(errs, validateNodes(path, s)...)
	for i, zone := range s.Zones {
		at := path.Child("zones").Index(i)
		errs = append(errs, validateLabel(at, zone)...)
		if slices.Contains(s.Zones[:i], zone) {
			errs = append(errs, field.Duplicate(at, zone))
		}
	}
	check := validateLoopback
	if s.Kind() {
		check = validatePrivate
	}
	pods, podErrs := check(path.Child("podCIDR"), s.PodCIDR)
	services, serviceErrs := check(path.Child("serviceCIDR"), s.ServiceCIDR)
	errs = append(append(errs, podErrs...), serviceErrs...)
	if len(podErrs)+len(serviceErrs) == 0 && pods.Overlaps(services) {
		errs = append(errs, field.Invalid(path.Child("serviceCIDR"), s.ServiceCIDR, "must not overlap podCIDR "+s.PodCIDR))
	}
	return errs
}

// maxNodes is more than a machine has room for.
const maxNodes = 9

// validateNodes also refuses zones without a node: the Seed would promise them.
func validateNodes(path *field.Path, s Seed) field.ErrorList {
	switch {
	case !s.Kind() && s.Nodes != 0:
		return field.ErrorList{field.Forbidden(path.Child("nodes"), "only seeds of provider kind have several nodes")}
	case s.Kind() && (s.Nodes < 1 || s.Nodes > maxNodes):
		return field.ErrorList{field.Invalid(path.Child("nodes"), s.Nodes, fmt.Sprintf("must be between 1 and %d", maxNodes))}
	case s.Nodes > 1 && len(s.Zones) > int(s.Nodes): // a single node may count as in several zones, as that of an embedded seed
		return field.ErrorList{field.TooMany(path.Child("zones"), len(s.Zones), int(s.Nodes))}
	}
	return nil
}

// ValidateFurther returns all mistakes of a further seed that is to be added to a valid landscape.
func ValidateFurther(l *Landscape, seed FurtherSeed) field.ErrorList {
	with := *l
	with.Seeds = append(slices.Clone(l.Seeds), seed)
	return validateFurther(func(int) *field.Path { return nil }, &with)
}

// validateFurther checks the list as a whole: all names and ranges must differ.
func validateFurther(path func(int) *field.Path, l *Landscape) field.ErrorList {
	var errs field.ErrorList
	names, ranges := []string{l.Seed.Name}, []netip.Prefix{}
	add := func(path *field.Path, cidr string) {
		prefix, mistakes := validateLoopback(path, cidr)
		errs = append(errs, mistakes...)
		if len(mistakes) == 0 && slices.ContainsFunc(ranges, prefix.Overlaps) {
			errs = append(errs, field.Invalid(path, cidr, "must not overlap another range of the landscape"))
		}
		ranges = append(ranges, prefix)
	}
	if !l.Seed.Kind() {
		for _, cidr := range []string{l.Seed.PodCIDR, l.Seed.ServiceCIDR} {
			if prefix, err := netip.ParsePrefix(cidr); err == nil { // a bad range is reported for the first seed
				ranges = append(ranges, prefix)
			}
		}
	}
	for i, seed := range l.Seeds {
		at, seed := path(i), l.WithDefaults(seed)
		errs = append(errs, validateLabel(at.Child("name"), seed.Name)...)
		if slices.Contains(names, seed.Name) {
			errs = append(errs, field.Duplicate(at.Child("name"), seed.Name))
		}
		names = append(names, seed.Name)
		errs = append(errs, oneOf(at.Child("provider"), seed.Provider, ProviderEmbedded, ProviderKind)...)
		if seed.Kind() {
			errs = append(errs, validateFurtherKind(at, l.Name, seed)...)
			continue
		}
		if seed.NodeImage != "" {
			errs = append(errs, field.Forbidden(at.Child("nodeImage"), "only seeds of provider kind have a node image"))
		}
		if seed.PodCIDR == "" && seed.ServiceCIDR == "" {
			continue
		}
		add(at.Child("podCIDR"), seed.PodCIDR)
		add(at.Child("serviceCIDR"), seed.ServiceCIDR)
	}
	return errs
}

// maxKindNames is how long the names of a landscape and a kind seed may be together: a host name, which has 63 characters at most,
// holds both.
const maxKindNames = 63 - len("gardener-.-control-plane")

// validateFurtherKind checks a further seed on kind. Its ranges are inside of its cluster, so that other clusters may have the same.
func validateFurtherKind(path *field.Path, landscape string, seed FurtherSeed) field.ErrorList {
	var errs field.ErrorList
	if len(landscape)+len(seed.Name) > maxKindNames {
		errs = append(errs, field.TooLong(path.Child("name"), seed.Name, max(1, maxKindNames-len(landscape))))
	}
	pods, podErrs := validatePrivate(path.Child("podCIDR"), seed.PodCIDR)
	services, serviceErrs := validatePrivate(path.Child("serviceCIDR"), seed.ServiceCIDR)
	errs = append(append(errs, podErrs...), serviceErrs...)
	if len(podErrs)+len(serviceErrs) == 0 && pods.Overlaps(services) {
		errs = append(errs, field.Invalid(path.Child("serviceCIDR"), seed.ServiceCIDR, "must not overlap podCIDR "+seed.PodCIDR))
	}
	return errs
}

// validateLoopback requires a loopback range. Linux serves such ranges without configuration.
func validateLoopback(path *field.Path, cidr string) (netip.Prefix, field.ErrorList) {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil || !lowerLoopback.Contains(prefix.Addr()) || !sized(prefix) {
		return prefix, field.ErrorList{field.Invalid(path, cidr, "must be a range within 127.0.0.0/9 of size /12 to /20, such as 127.64.0.0/16")}
	}
	return prefix, nil
}

// validatePrivate requires a range that containers may use.
func validatePrivate(path *field.Path, cidr string) (netip.Prefix, field.ErrorList) {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil || !prefix.Addr().Is4() || !prefix.Addr().IsPrivate() || !sized(prefix) {
		return prefix, field.ErrorList{field.Invalid(path, cidr, "must be a private IPv4 range of size /12 to /20, such as 10.1.0.0/16")}
	}
	return prefix, nil
}

// sized reports whether the range is large enough for a cluster and no host bit is set.
func sized(prefix netip.Prefix) bool {
	return prefix.Bits() >= 12 && prefix.Bits() <= 20 && prefix == prefix.Masked()
}

func validateLabel(path *field.Path, value string) field.ErrorList {
	var errs field.ErrorList
	for _, problem := range validation.IsDNS1123Label(value) {
		errs = append(errs, field.Invalid(path, value, problem))
	}
	return errs
}

func oneOf(path *field.Path, value string, allowed ...string) field.ErrorList {
	if slices.Contains(allowed, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, value, allowed)}
}
