package deployed

import (
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/observability"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
)

// monitored are the Secrets that the Prometheus mounts, and its configuration.
func (b *bench) monitored() (secrets []string, configuration string) {
	b.Helper()
	set, config := &appsv1.StatefulSet{}, &corev1.ConfigMap{}
	b.read(prometheus.Garden, set)
	for _, volume := range set.Spec.Template.Spec.Volumes {
		switch {
		case volume.Secret != nil:
			secrets = append(secrets, volume.Secret.SecretName)
		case volume.ConfigMap != nil:
			b.read(volume.ConfigMap.Name, config)
			configuration = config.Data["prometheus.yaml"]
		}
	}
	return secrets, configuration
}

func TestObservability(t *testing.T) {
	b := newBench(t, operatorService())
	password := observability.Password{Runtime: b.Client, Reader: b.Client, Clock: b.inputs.Clock}
	b.deploy(aGarden())
	mounted, configuration := b.monitored()
	t.Run("OPR-17 the Prometheus finds all that it mounts, and a certificate of the garden with its name", func(t *testing.T) {
		var served bool
		for _, name := range mounted {
			secret := &corev1.Secret{}
			b.read(name, secret)
			if strings.HasPrefix(name, prometheus.Garden+"-server") {
				served = true
				if err := parse(t, secret.Data["tls.crt"]).VerifyHostname("prometheus-garden.garden.svc"); err != nil {
					t.Error(err)
				}
			}
		}
		if !served {
			t.Errorf("no certificate among %v", mounted)
		}
	})
	t.Run("OPR-17 it asks the operator that gardener bootstrap has installed, and all components with metrics", func(t *testing.T) {
		for _, target := range []string{
			"prometheus-gardener-operator.garden.svc", "prometheus-virtual-garden-kube-apiserver.garden.svc", "prometheus-virtual-garden-kube-controller-manager.garden.svc",
			"virtual-garden-etcd-main-0.virtual-garden-etcd-main-peer.garden.svc:2381", "virtual-garden-etcd-events-0.virtual-garden-etcd-events-peer.garden.svc:2381",
			"prometheus-gardener-apiserver.garden.svc", "prometheus-gardener-admission-controller.garden.svc", "prometheus-gardener-controller-manager.garden.svc",
			"prometheus-gardener-scheduler.garden.svc",
		} {
			if !strings.Contains(configuration, "- "+target+"\n") {
				t.Errorf("it does not ask %s:\n%s", target, configuration)
			}
		}
	})
	t.Run("OPR-17 each target has a Service that selects the pods", func(t *testing.T) {
		for name, port := range map[string]int32{
			apiServer: 6443, gardenerAPIServer: portAPIServer, gardenerAdmission: portAdmissionMetrics, gardenerControllerManager: portControllerManagerMetrics, gardenerScheduler: portSchedulerMetrics, controllerManager: 10257,
		} {
			service, deployment := &corev1.Service{}, b.deployment(name)
			b.read("prometheus-"+name, service)
			if !slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == port }) {
				t.Errorf("%s: ports %v", name, service.Spec.Ports)
			}
			for key, value := range service.Spec.Selector {
				if deployment.Spec.Template.Labels[key] != value {
					t.Errorf("%s: %s=%s is no label of the pods", name, key, value)
				}
			}
		}
	})
	t.Run("OPR-17 Gardener's controllers listen where it asks them", func(t *testing.T) {
		for name, port := range map[string]int{gardenerAdmission: portAdmissionMetrics, gardenerControllerManager: portControllerManagerMetrics, gardenerScheduler: portSchedulerMetrics} {
			config := struct{ Server componentconfig.Server }{}
			if err := yaml.Unmarshal(b.file(name, dirConfig, keyConfig), &config); err != nil {
				t.Fatal(err)
			}
			if metrics := config.Server.Metrics; metrics == nil || metrics.Port != port || metrics.BindAddress != componentconfig.PodIP {
				t.Errorf("%s listens at %+v", name, metrics)
			}
		}
	})
	t.Run("OPR-17 no Secret is in its configuration", func(t *testing.T) {
		secrets := &corev1.SecretList{}
		if err := b.List(t.Context(), secrets, client.InNamespace(namespace)); err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets.Items {
			for key, value := range secret.Data {
				if len(value) > 12 && strings.Contains(configuration, string(value)) {
					t.Errorf("it has the key %s of %s", key, secret.Name)
				}
			}
		}
	})
	t.Run("OPR-17 its rights in the virtual garden come with those of the components", func(t *testing.T) {
		if keys := b.managed(resourceSystem); !slices.ContainsFunc(keys, func(key string) bool {
			return strings.HasPrefix(key, "ClusterRole_") && strings.Contains(key, prometheus.Garden)
		}) {
			t.Errorf("objects %v", keys)
		}
	})
	t.Run("OPR-29 a new password reaches it", func(t *testing.T) {
		if err := password.Deploy(t.Context(), b.inputs.Clock.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		b.deploy(aGarden())
		secrets := &corev1.SecretList{}
		if err := b.List(t.Context(), secrets, client.MatchingLabels(observability.Selector())); err != nil {
			t.Fatal(err)
		}
		now, _ := b.monitored()
		if len(secrets.Items) != 1 || slices.Contains(mounted, secrets.Items[0].Name) || !slices.Contains(now, secrets.Items[0].Name) {
			t.Errorf("it mounts %v, before the rotation %v", now, mounted)
		}
	})
	t.Run("OPR-17 without a password it waits for the operator", func(t *testing.T) {
		if err := password.Destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := b.host.Deploy(t.Context(), aGarden(), host.Monitoring); err == nil || !strings.Contains(err.Error(), "password of observability") {
			t.Error(err)
		}
	})
	t.Run("OPR-39 it goes before what it asks", func(t *testing.T) {
		if err := b.host.Destroy(t.Context(), aGarden(), host.Monitoring); err != nil {
			t.Fatal(err)
		}
		if err := b.component(prometheus.Garden).Serves(t.Context()); err == nil {
			t.Error("it serves")
		}
		b.deployment(apiServer)
	})
}

func TestNoOperatorToAsk(t *testing.T) {
	b := newBench(t)
	b.deploy(aGarden())
	if _, configuration := b.monitored(); strings.Contains(configuration, "gardener-operator") {
		t.Error("OPR-17 it asks an operator that is elsewhere")
	}
}
