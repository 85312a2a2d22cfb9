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

	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/node"
)

// gardenService is the Service behind which pods of an embedded seed find the API server of the garden. It has no pods: the landscape knows where
// it leads, and no user of the seed can change that. Gardener's operator uses the same name.
var gardenService = types.NamespacedName{Namespace: constants.GardenNamespace, Name: "virtual-garden-kube-apiserver"}

const gardenServicePort = 443

// The API server of the seed has only just started.
const (
	retryPause   = 250 * time.Millisecond
	retryTimeout = 30 * time.Second
)

// GardenInSeed is where pods of an embedded seed find a garden.
func GardenInSeed(garden bootstrap.Garden) *bootstrap.GardenService {
	garden.Server = fmt.Sprintf("https://%s.%s.svc:%d", gardenService.Name, gardenService.Namespace, gardenServicePort)
	return &bootstrap.GardenService{Garden: garden, Service: gardenService}
}

// services are the servers of the landscape behind Services of the seed.
func (in NetworkInputs) services() map[types.NamespacedName]string {
	return map[types.NamespacedName]string{node.APIServer: in.Ports.Local(SeedAPIServer), gardenService: in.Garden}
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
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: gardenService.Namespace}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create namespace %s of the seed: %w", namespace.Name, err)
	}
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: gardenService.Namespace, Name: gardenService.Name},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "https", Port: gardenServicePort}}},
	}
	if _, err := client.CoreV1().Services(service.Namespace).Create(ctx, service, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create Service %s of the seed: %w", gardenService, err)
	}
	return nil
}
