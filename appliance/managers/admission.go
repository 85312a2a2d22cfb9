package managers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/config"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedidentity"
	"github.com/gardener-up/gardener-up/controllers/loglevel"
	"github.com/gardener-up/gardener-up/local/admission"
)

func (r gardenRoles) admission(_ context.Context, shared clusters) ([]manager.Manager, error) {
	configuration, err := r.admissionConfiguration()
	if err != nil {
		return nil, err
	}
	o := options{Log: loglevel.Limit(r.Log.WithName(Admission), configuration.LogLevel)}
	if probes := configuration.Server.HealthProbes; probes != nil {
		o.HealthAddress = probes.Address()
	}
	if metrics := configuration.Server.Metrics; metrics != nil {
		o.MetricsAddr = metrics.Address()
	}
	if limits := configuration.GardenClientConnection; limits.QPS > 0 {
		o.Config = rest.CopyConfig(shared.garden.GetConfig())
		o.Config.QPS, o.Config.Burst = limits.QPS, int(limits.Burst)
	}
	mgr, err := newManager(Admission, shared.garden, o)
	if err != nil {
		return nil, err
	}
	cfg := r.Admission
	cfg.Configuration, cfg.InLandscape = configuration, true
	cfg.Extensions = []admissioncontroller.Extension{{Name: admission.ConfigurationName, Hooks: admission.Hooks()}}
	if err := admissioncontroller.AddToManager(mgr, cfg); err != nil {
		return nil, fmt.Errorf("add admission controller: %w", err)
	}
	return []manager.Manager{mgr}, nil
}

// admissionConfiguration is the user's configuration with its defaults. Unless it sets limits, those of a landscape apply.
func (r gardenRoles) admissionConfiguration() (*config.AdmissionControllerConfiguration, error) {
	configuration, err := config.Decode(r.AdmissionController)
	if err != nil {
		return nil, fmt.Errorf("configuration of the admission controller: %w", err)
	}
	if configuration.Server.ResourceAdmissionConfiguration == nil {
		configuration.Server.ResourceAdmissionConfiguration = defaultLimits()
		config.SetDefaults(configuration)
	}
	return configuration, nil
}

// defaultLimits keep a project from filling the garden's etcd with few objects. Together with defaultQuotas they bound the bytes of a
// project. Gardenlets are not limited: they could not write the state of a large shoot otherwise.
func defaultLimits() *config.ResourceAdmissionConfiguration {
	size := resource.MustParse("100k")
	kinds := map[string][]string{}
	for kind := range projectObjects {
		name, group, _ := strings.Cut(kind, ".")
		kinds[group] = append(kinds[group], name)
	}
	limits := &config.ResourceAdmissionConfiguration{
		UnrestrictedSubjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: seedidentity.Group}},
	}
	for _, group := range slices.Sorted(maps.Keys(kinds)) {
		limits.Limits = append(limits.Limits, config.ResourceLimit{
			APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: slices.Sorted(slices.Values(kinds[group])), Size: &size,
		})
	}
	return limits
}

// admissionReady waits for the answers, beside the caches that all roles wait for.
func (r gardenRoles) admissionReady(context.Context) error { return r.Admission.Server.Ready() }
