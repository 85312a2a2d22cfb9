package deployed

import (
	"fmt"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	admissionconfig "github.com/gardener-up/gardener-up/controllers/admissioncontroller/config"
	managerconfig "github.com/gardener-up/gardener-up/controllers/controllermanager/config"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	schedulerconfig "github.com/gardener-up/gardener-up/controllers/scheduler/config"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const keyConfig = "config.yaml"

// listener is a port of the pod.
func listener(port int) componentconfig.Listener {
	return componentconfig.Listener{BindAddress: componentconfig.PodIP, Port: port}
}

// serves are the servers for probes and for metrics.
func serves(probePort, metricsPort int) componentconfig.Server {
	probes, metrics := listener(probePort), listener(metricsPort)
	return componentconfig.Server{HealthProbes: &probes, Metrics: &metrics}
}

// configured returns the config map with a configuration file, and the flag and the mount for it.
func (g gardener) configured(name string, configuration any) (client.Object, string, pod.Mount, error) {
	raw, err := yaml.Marshal(configuration)
	if err != nil {
		return nil, "", pod.Mount{}, fmt.Errorf("encode configuration of %s: %w", name, err)
	}
	file := pod.ConfigMap(name+"-config", g.Namespace, map[string]string{keyConfig: string(raw)})
	return file, "--config=" + pod.File(dirConfig, keyConfig), pod.Mount{Path: dirConfig, ConfigMaps: []string{file.Name}}, nil
}

// admissionController builds Gardener's admission controller. It registers its webhooks itself.
func (g gardener) admissionController() ([]client.Object, error) {
	config := admissionconfig.AdmissionControllerConfiguration{}
	config.APIVersion, config.Kind = admissionconfig.APIVersion, admissionconfig.Kind
	config.GardenClientConnection.Kubeconfig = access.Kubeconfig()
	config.Server.Server = serves(portAdmissionHealth, portAdmissionMetrics)
	config.Server.Webhooks = &admissionconfig.Webhooks{Listener: listener(portAdmission), TLS: admissionconfig.TLSFiles{ServerCertDir: pod.File(dirServer, "")}}
	if settings := g.garden.Spec.VirtualCluster.Gardener.AdmissionController; settings != nil {
		config.LogLevel = ptr.Deref(settings.LogLevel, "")
		if limits := settings.ResourceAdmissionConfiguration; limits != nil {
			config.Server.ResourceAdmissionConfiguration = &admissionconfig.ResourceAdmissionConfiguration{
				UnrestrictedSubjects: limits.UnrestrictedSubjects, OperationMode: admissionconfig.OperationMode(ptr.Deref(limits.OperationMode, "")),
			}
			for _, limit := range limits.Limits {
				if limit.Size == nil { // numbers of objects are not limited, see inert
					continue
				}
				config.Server.ResourceAdmissionConfiguration.Limits = append(config.Server.ResourceAdmissionConfiguration.Limits, admissionconfig.ResourceLimit{
					APIGroups: limit.APIGroups, APIVersions: limit.APIVersions, Resources: limit.Resources, Size: limit.Size, Count: limit.Count,
				})
			}
		}
	}
	file, flag, mount, err := g.configured(gardenerAdmission, config)
	if err != nil {
		return nil, err
	}
	deployment := g.component(gardenerAdmission, "admission-controller", constants.PriorityClassNameGardenSystem400, pod.Spec{
		Args: []string{
			flag,
			fmt.Sprintf("--webhook-url=https://%s.%s.svc:%d", gardenerAdmission, g.Namespace, portAdmission),
			"--client-ca-file=" + pod.File(dirCAClient, secretsmanager.KeyBundle), "--client-name=" + authorizerUser,
		},
		Replicas: g.availability.Controllers(), Port: portAdmission,
		Ready:  pod.Plain(pod.Ready("/readyz", portAdmissionHealth)),
		Live:   pod.Plain(pod.Live("/healthz", portAdmissionHealth)),
		Mounts: []pod.Mount{mount, g.made.servers[gardenerAdmission], {Path: dirCAClient, Secrets: []string{g.made.apiServer.CAClientBundle}}},
	})
	service := g.service(gardenerAdmission, portAdmission)
	service.Annotations = names.FromShootAPIServer(portAdmission)
	return []client.Object{file, service, deployment}, nil
}

// controllers builds Gardener's controller manager.
func (g gardener) controllers() ([]client.Object, error) {
	config := managerconfig.ControllerManagerConfiguration{}
	config.APIVersion, config.Kind = managerconfig.APIVersion, managerconfig.Kind
	config.GardenClientConnection.Kubeconfig = access.Kubeconfig()
	config.Server.Server = serves(portControllerManager, portControllerManagerMetrics)
	if settings := g.garden.Spec.VirtualCluster.Gardener.ControllerManager; settings != nil {
		config.LogLevel, config.FeatureGates = ptr.Deref(settings.LogLevel, ""), settings.FeatureGates
		for _, quota := range settings.DefaultProjectQuotas {
			if config.Controllers.Project == nil {
				config.Controllers.Project = &managerconfig.ProjectController{}
			}
			config.Controllers.Project.Quotas = append(config.Controllers.Project.Quotas, managerconfig.QuotaOfProject{
				Config: &quota.Config, ProjectSelector: quota.ProjectSelector,
			})
		}
	}
	return g.controller(gardenerControllerManager, "controller-manager", portControllerManager, config)
}

// scheduler builds Gardener's scheduler.
func (g gardener) scheduler() ([]client.Object, error) {
	config := schedulerconfig.SchedulerConfiguration{}
	config.APIVersion, config.Kind = schedulerconfig.APIVersion, schedulerconfig.Kind
	config.ClientConnection.Kubeconfig = access.Kubeconfig()
	config.Server = serves(portScheduler, portSchedulerMetrics)
	if settings := g.garden.Spec.VirtualCluster.Gardener.Scheduler; settings != nil {
		config.LogLevel, config.FeatureGates = ptr.Deref(settings.LogLevel, ""), settings.FeatureGates
		config.Schedulers.Shoot = &schedulerconfig.ShootScheduler{CandidateDeterminationStrategy: schedulerconfig.Strategy(ptr.Deref(settings.Strategy, ""))}
	}
	return g.controller(gardenerScheduler, "scheduler", portScheduler, config)
}

// controller builds a component that serves nothing but its health and its metrics.
func (g gardener) controller(name, component string, port int32, configuration any) ([]client.Object, error) {
	file, flag, mount, err := g.configured(name, configuration)
	if err != nil {
		return nil, err
	}
	deployment := g.component(name, component, constants.PriorityClassNameGardenSystem200, pod.Spec{
		Args: []string{flag}, Replicas: g.availability.Controllers(), Port: port, Mounts: []pod.Mount{mount},
		Ready: pod.Plain(pod.Ready("/readyz", port)), Live: pod.Plain(pod.Live("/healthz", port)),
		Reaches: []string{constants.LabelNetworkPolicyToPublicNetworks},
	})
	return []client.Object{file, deployment}, nil
}
