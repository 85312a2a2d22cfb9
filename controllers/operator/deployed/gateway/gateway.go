// Package gateway builds the entrance of a Garden that runs in a cluster: front doors in a namespace of their own, behind a Service that users
// reach. They pass connections for the names of the virtual garden on to its API server and read no traffic. They have the names and labels of the
// ingress gateway that they replace.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	// Namespace and Name of the gateway's Deployment and Service (OPR-34).
	Namespace = constants.VirtualGardenSNIIngressNamespace
	Name      = constants.VirtualGardenSNIIngressService
	// Port of the Service.
	Port = 443
	// port of the pods, which any user can serve.
	port = 9443
)

// Values of the gateway. All fields are required unless said otherwise.
type Values struct {
	// Image is the appliance image.
	Image    string
	Replicas int32
	// Hosts are the names by which users reach the API server.
	Hosts []string
	// Address is the cluster IP of the API server's Service, and ServerPort its port.
	Address    string
	ServerPort int32
	// ServiceType of the Service; ClusterIP if it is empty.
	ServiceType corev1.ServiceType
	// Annotations of the Service; may be nil.
	Annotations map[string]string
	// ExternalTrafficPolicy of the Service, if it is reached from outside; Kubernetes' default if it is empty.
	ExternalTrafficPolicy corev1.ServiceExternalTrafficPolicy
	// TrafficDistribution of the Service; may be nil.
	TrafficDistribution *string
}

// Objects builds all of it, the namespace first and the Deployment last.
func Objects(v Values) []client.Object {
	return []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace, Labels: labels()}}, service(v), deployment(v),
	}
}

func labels() map[string]string { return map[string]string{"app": Name, "istio": "ingressgateway"} }

func service(v Values) *corev1.Service {
	out := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: Name, Labels: labels(), Annotations: v.Annotations},
		Spec: corev1.ServiceSpec{
			Type: v.ServiceType, Selector: labels(), TrafficDistribution: v.TrafficDistribution,
			Ports: []corev1.ServicePort{{Name: "tls", Port: Port, TargetPort: intstr.FromInt32(port), Protocol: corev1.ProtocolTCP}},
		},
	}
	if v.ServiceType == "" {
		out.Spec.Type = corev1.ServiceTypeClusterIP
	} else if v.ServiceType != corev1.ServiceTypeClusterIP {
		out.Spec.ExternalTrafficPolicy = v.ExternalTrafficPolicy
	}
	return out
}

// deployment has pods without an account of the cluster: their routes are flags.
func deployment(v Values) *appsv1.Deployment {
	args := []string{fmt.Sprintf("--bind-address=:%d", port)}
	for _, host := range v.Hosts {
		args = append(args, "--route="+host+"="+net.JoinHostPort(v.Address, strconv.Itoa(int(v.ServerPort))))
	}
	accepts := func(failures int32) *corev1.Probe {
		return &corev1.Probe{
			ProbeHandler:  corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(port)}},
			PeriodSeconds: 5, FailureThreshold: failures,
		}
	}
	return pod.Deployment(pod.Spec{
		Name: Name, Namespace: Namespace, Labels: labels(), Image: v.Image, Component: "front-door", Args: args, Replicas: v.Replicas, Port: port,
		Ready: accepts(2), Live: accepts(6), PriorityClass: constants.PriorityClassNameGardenSystemCritical,
	})
}

// Serves returns nil if all pods of the gateway are available, and there are any.
func Serves(ctx context.Context, c client.Reader) error {
	deployment := &appsv1.Deployment{}
	key := client.ObjectKey{Namespace: Namespace, Name: Name}
	err := c.Get(ctx, key, deployment)
	if err == nil && ptr.Deref(deployment.Spec.Replicas, 1) == 0 {
		err = errors.New("it has no replicas")
	}
	if err == nil {
		err = health.Available(deployment)
	}
	if err != nil {
		return fmt.Errorf("deployment %s: %w", key, err)
	}
	return nil
}
