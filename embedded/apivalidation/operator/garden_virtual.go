package operator

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	corehelper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// Bounds of the maintenance window, as for Shoots.
const shortestWindow, longestWindow = 30 * time.Minute, 6 * time.Hour

// Least memory to which an etcd may be scaled down.
var leastMain, leastEvents = resource.MustParse("300M"), resource.MustParse("60M")

var logLevels = []string{"info", "debug", "error"}

func validateVirtual(virtual *operatorv1alpha1.VirtualCluster, providers []string, host Host, path *field.Path) field.ErrorList {
	errs := validateDomains(virtual.DNS.Domain, virtual.DNS.Domains, providers, path.Child("dns"))
	if first, err := FirstDomain(virtual.DNS); err == nil && host.Domain != "" && first != host.Domain {
		errs = append(errs, field.Invalid(path.Child("dns"), first, "the first domain must be "+host.Domain+", at which the virtual garden is served"))
	}
	errs = append(errs, validateETCD(virtual.ETCD, path.Child("etcd"))...)
	errs = append(errs, validateGardener(&virtual.Gardener, path.Child("gardener"))...)
	errs = append(errs, validateKubernetes(&virtual.Kubernetes, host, path.Child("kubernetes"))...)
	errs = append(errs, validateWindow(virtual.Maintenance.TimeWindow, path.Child("maintenance", "timeWindow"))...)
	services := path.Child("networking", "services")
	_, more := parseNetworks(virtual.Networking.Services, services, true)
	if ranges := virtual.Networking.Services; host.Services != "" && len(ranges) > 0 && ranges[0] != host.Services {
		more = append(more, field.Invalid(services.Index(0), ranges[0], "the first range must be "+host.Services+", from which Services of the virtual garden get their addresses"))
	}
	return append(errs, more...)
}

func validateETCD(etcd *operatorv1alpha1.ETCD, path *field.Path) field.ErrorList {
	if etcd == nil {
		return nil
	}
	var errs field.ErrorList
	if main := etcd.Main; main != nil {
		errs = append(errs, validateMinAllowed(main.Autoscaling, leastMain, path.Child("main", "autoscaling", "minAllowed"))...)
		errs = append(errs, validateStorage(main.Storage, path.Child("main", "storage"))...)
		if backup, at := main.Backup, path.Child("main", "backup"); backup != nil {
			if backup.Provider == "" {
				errs = append(errs, field.Required(at.Child("provider"), "name the type of the object store"))
			}
			if backup.SecretRef.Name == "" {
				errs = append(errs, field.Required(at.Child("secretRef", "name"), "name a Secret of namespace garden with the credentials"))
			}
		}
	}
	if events := etcd.Events; events != nil {
		errs = append(errs, validateMinAllowed(events.Autoscaling, leastEvents, path.Child("events", "autoscaling", "minAllowed"))...)
		errs = append(errs, validateStorage(events.Storage, path.Child("events", "storage"))...)
	}
	return errs
}

func validateMinAllowed(autoscaling *gardencorev1beta1.ControlPlaneAutoscaling, least resource.Quantity, path *field.Path) field.ErrorList {
	if autoscaling == nil {
		return nil
	}
	var errs field.ErrorList
	for name, quantity := range autoscaling.MinAllowed {
		at := path.Key(string(name))
		switch {
		case name != corev1.ResourceCPU && name != corev1.ResourceMemory:
			errs = append(errs, field.NotSupported(at, name, []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}))
		case quantity.Sign() <= 0:
			errs = append(errs, field.Invalid(at, quantity.String(), "must be greater than 0"))
		case name == corev1.ResourceMemory && quantity.Cmp(least) < 0:
			errs = append(errs, field.Invalid(at, quantity.String(), "must be at least "+least.String()))
		}
	}
	return errs
}

func validateStorage(storage *operatorv1alpha1.Storage, path *field.Path) field.ErrorList {
	if storage == nil || storage.Capacity == nil || storage.Capacity.Sign() > 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("capacity"), storage.Capacity.String(), "must be greater than 0")}
}

func validateGardener(gardener *operatorv1alpha1.Gardener, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if gardener.ClusterIdentity == "" {
		errs = append(errs, field.Required(path.Child("clusterIdentity"), "name the garden among all gardens"))
	}
	level := func(name string, value *string) {
		if value != nil && !slices.Contains(logLevels, *value) {
			errs = append(errs, field.NotSupported(path.Child(name, "logLevel"), *value, logLevels))
		}
	}
	if c := gardener.AdmissionController; c != nil {
		level("gardenerAdmissionController", c.LogLevel)
	}
	if c := gardener.ControllerManager; c != nil {
		level("gardenerControllerManager", c.LogLevel)
	}
	if c := gardener.Scheduler; c != nil {
		level("gardenerScheduler", c.LogLevel)
	}
	if c := gardener.APIServer; c != nil {
		errs = append(errs, validateAuditWebhook(c.AuditWebhook, path.Child("gardenerAPIServer", "auditWebhook"))...)
	}
	return errs
}

func validateKubernetes(kubernetes *operatorv1alpha1.Kubernetes, host Host, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	at := path.Child("version")
	if kubernetes.Version == "" {
		errs = append(errs, field.Required(at, "name a version of Kubernetes"))
	} else if _, err := version.ParseSemantic(kubernetes.Version); err != nil {
		errs = append(errs, field.Invalid(at, kubernetes.Version, "must be a version of three numbers"))
	} else if len(host.Versions) > 0 && !slices.Contains(host.Versions, kubernetes.Version) {
		errs = append(errs, field.NotSupported(at, kubernetes.Version, host.Versions))
	}
	if server := kubernetes.KubeAPIServer; server != nil {
		errs = append(errs, validateAuditWebhook(server.AuditWebhook, path.Child("kubeAPIServer", "auditWebhook"))...)
		if server.Authentication != nil && server.Authentication.Webhook != nil && server.Authentication.Webhook.KubeconfigSecretName == "" {
			errs = append(errs, field.Required(path.Child("kubeAPIServer", "authentication", "webhook", "kubeconfigSecretName"), "name a Secret of namespace garden with key kubeconfig"))
		}
	}
	return errs
}

func validateAuditWebhook(webhook *operatorv1alpha1.AuditWebhook, path *field.Path) field.ErrorList {
	if webhook == nil {
		return nil
	}
	var errs field.ErrorList
	if webhook.KubeconfigSecretName == "" {
		errs = append(errs, field.Required(path.Child("kubeconfigSecretName"), "name a Secret of namespace garden with key kubeconfig"))
	}
	if webhook.BatchMaxSize != nil && *webhook.BatchMaxSize < 1 {
		errs = append(errs, field.Invalid(path.Child("batchMaxSize"), *webhook.BatchMaxSize, "must be at least 1"))
	}
	return errs
}

func validateWindow(window gardencorev1beta1.MaintenanceTimeWindow, path *field.Path) field.ErrorList {
	text := window.Begin + " to " + window.End
	parsed, err := corehelper.ParseTimeWindow(window)
	if err != nil {
		return field.ErrorList{field.Invalid(path, text, err.Error())}
	}
	if length := parsed.Length(); length < shortestWindow || length > longestWindow {
		return field.ErrorList{field.Invalid(path, text, "must be between 30 minutes and 6 hours long, not "+length.String())}
	}
	return nil
}
