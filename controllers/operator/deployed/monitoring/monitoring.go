// Package monitoring deploys the Prometheus of a Garden that runs in a cluster, and removes it.
package monitoring

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/observability"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
)

// Reasons why there are no other components.
const (
	noLogs       = "nothing collects logs: kubectl shows those of pods"
	noDashboards = "there are no dashboards: point Plutono or Grafana at the Service " + prometheus.Garden
	noExporter   = "nothing makes metrics of the states of objects"
)

var errNotReady = errors.New("no pod is ready")

// Monitoring is the Prometheus of a Garden. All fields are required.
type Monitoring struct {
	Client    client.Client // uncached
	Namespace string
}

// set is its StatefulSet.
func (m Monitoring) set() *appsv1.StatefulSet {
	return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace, Name: prometheus.Garden}}
}

// Deploy writes the Prometheus with the certificate, which it generates, and the password of the operator. It also asks the operator if the Service
// for its metrics exists. Of the values it sets the secrets.
func (m Monitoring) Deploy(ctx context.Context, secrets *secretsmanager.Manager, v prometheus.GardenValues, write func(context.Context, ...client.Object) error) error {
	var err error
	if v.Secrets, err = prometheus.GenerateGardenSecrets(ctx, secrets); err != nil {
		return err
	}
	if v.Secrets.Users, err = m.password(ctx); err != nil {
		return err
	}
	operator, err := m.operator(ctx)
	if err != nil {
		return err
	}
	v.Plain = append(v.Plain, operator...)
	objects, _, err := prometheus.GardenObjects(v)
	if err != nil {
		return err
	}
	return write(ctx, objects...)
}

// password is the name of the Secret with which operators read metrics.
func (m Monitoring) password(ctx context.Context) (string, error) {
	secrets := &corev1.SecretList{}
	if err := m.Client.List(ctx, secrets, client.InNamespace(m.Namespace), client.MatchingLabels(observability.Selector())); err != nil {
		return "", fmt.Errorf("look for the password of observability: %w", err)
	}
	var newest *corev1.Secret
	for i := range secrets.Items {
		if one := &secrets.Items[i]; one.DeletionTimestamp == nil && (newest == nil || newest.CreationTimestamp.Before(&one.CreationTimestamp)) {
			newest = one
		}
	}
	if newest == nil {
		return "", errors.New("the operator has not made the password of observability yet")
	}
	return newest.Name, nil
}

// operatorService and operatorPort are where the operator serves its metrics, if it is deployed as gardener bootstrap does.
const operatorService, operatorPort = "gardener-operator", 2752

func (m Monitoring) operator(ctx context.Context) ([]prometheus.Server, error) {
	service := &corev1.Service{}
	err := m.Client.Get(ctx, client.ObjectKey{Namespace: m.Namespace, Name: operatorService}, service)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("look for service %q: %w", operatorService, err)
	}
	for _, port := range service.Spec.Ports {
		if err == nil && port.Port == operatorPort && port.TargetPort.IntValue() == operatorPort {
			return []prometheus.Server{{Name: operatorService, Port: operatorPort, Pods: service.Spec.Selector}}, nil
		}
	}
	return nil, nil
}

// Serves returns nil if a pod of it is ready.
func (m Monitoring) Serves(ctx context.Context) error {
	set := m.set()
	err := m.Client.Get(ctx, client.ObjectKeyFromObject(set), set)
	if err == nil && (set.Status.ReadyReplicas == 0 || set.Status.ReadyReplicas < ptr.Deref(set.Spec.Replicas, 1)) {
		err = errNotReady
	}
	if err != nil {
		return fmt.Errorf("stateful set %q: %w", set.Name, err)
	}
	return nil
}

// Components are the Prometheus, and those that Gardener deploys and this host does not.
func (m Monitoring) Components() []host.Component {
	out := []host.Component{{Name: prometheus.Garden, Group: host.Observability, Stage: host.Monitoring, Serves: m.Serves}}
	for _, absent := range []struct{ name, reason string }{
		{"fluent-bit", noLogs}, {"fluent-operator", noLogs}, {"gardener-metrics-exporter", noExporter}, {"kube-state-metrics", noExporter},
		{"plutono", noDashboards}, {"vali", noLogs},
	} {
		out = append(out, host.Component{Name: absent.name, Group: host.Observability, Stage: host.Monitoring, Absent: absent.reason})
	}
	return out
}

// Objects are what must be gone before the servers that it asks. All else goes with the Garden.
func (m Monitoring) Objects() []client.Object { return []client.Object{m.set()} }
