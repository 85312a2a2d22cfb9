package servers

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/appliance/gardenservice"
	"github.com/gardener-up/gardener-up/embedded/node"
)

// The API server of the seed has only just started.
const (
	retryPause   = 250 * time.Millisecond
	retryTimeout = 30 * time.Second
)

// services are the servers of the landscape behind Services of the seed.
func (in NetworkInputs) services() map[types.NamespacedName]string {
	return map[types.NamespacedName]string{node.APIServer: in.Ports.Local(SeedAPIServer), gardenservice.Name: in.Garden}
}

// makeGardenService creates the Service in the seed.
func (in NetworkInputs) makeGardenService(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(in.SeedClient())
	if err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	var last error
	err = wait.PollUntilContextTimeout(ctx, retryPause, retryTimeout, true, func(ctx context.Context) (bool, error) {
		last = in.createGardenService(ctx, client)
		return last == nil, nil
	})
	return errors.Join(err, last)
}

func (in NetworkInputs) createGardenService(ctx context.Context, client kubernetes.Interface) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: gardenservice.Name.Namespace}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create namespace %s of the seed: %w", namespace.Name, err)
	}
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: gardenservice.Name.Namespace, Name: gardenservice.Name.Name},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "https", Port: gardenservice.Port}}},
	}
	if _, err := client.CoreV1().Services(service.Namespace).Create(ctx, service, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create Service %s of the seed: %w", gardenservice.Name, err)
	}
	return nil
}
