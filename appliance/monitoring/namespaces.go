package monitoring

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// atATime is how many shoots are searched at a time.
const atATime = 8

// inNamespaces finds the control planes of shoots in a seed.
type inNamespaces struct {
	seed   managers.Seed
	config *rest.Config
}

// find reads all namespaces at once if there are several shoots.
func (n inNamespaces) find(ctx context.Context, shoots []*gardencorev1beta1.Shoot, all *found) {
	fail := func(err error) {
		for _, shoot := range shoots {
			all.add(down(shootScope(shoot), jobAPIServer, shoot.Name, err))
		}
	}
	namespace := metav1.NamespaceAll
	if len(shoots) == 1 {
		namespace = shoots[0].Status.TechnicalID
		if namespace == "" {
			return // nothing of it is in the seed yet
		}
	}
	read, err := n.read(ctx, namespace)
	if err != nil {
		fail(err)
		return
	}
	access, err := n.access(ctx)
	if err != nil {
		fail(err)
		return
	}
	slots := make(chan struct{}, atATime)
	var searches sync.WaitGroup
	for _, shoot := range shoots {
		slots <- struct{}{}
		searches.Go(func() {
			defer func() { <-slots }()
			id := shoot.Status.TechnicalID
			all.add(controlPlane{shoot: shoot, seed: n.config, access: access, pods: read.pods[id], secrets: read.secrets[id]}.targets(ctx)...)
		})
	}
	searches.Wait()
}

// contents are pods and Secrets by namespace, and Secrets by name.
type contents struct {
	pods    map[string][]corev1.Pod
	secrets map[string]map[string]corev1.Secret
}

func (n inNamespaces) read(ctx context.Context, namespace string) (contents, error) {
	out := contents{pods: map[string][]corev1.Pod{}, secrets: map[string]map[string]corev1.Secret{}}
	seed, err := kubernetes.NewForConfig(n.config)
	if err != nil {
		return out, err
	}
	for _, selector := range []string{constants.GardenRole + "=" + constants.GardenRoleControlPlane, constants.LabelApp + "=" + labelMachine} {
		pods, err := seed.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return out, fmt.Errorf("list pods of control planes: %w", err)
		}
		for _, one := range pods.Items {
			if one.DeletionTimestamp == nil && one.Status.Phase == corev1.PodRunning {
				out.pods[one.Namespace] = append(out.pods[one.Namespace], one)
			}
		}
	}
	for _, options := range []metav1.ListOptions{
		{FieldSelector: "metadata.name=" + constants.SecretNameGardenerInternal},
		{LabelSelector: "managed-by=secrets-manager,name in (" + secretKubeletClient + "," + secretKubeletCA + ")"},
	} {
		secrets, err := seed.CoreV1().Secrets(namespace).List(ctx, options)
		if err != nil {
			return out, fmt.Errorf("list the access to shoots: %w", err)
		}
		for _, secret := range secrets.Items {
			out.keep(secret)
		}
	}
	return out, nil
}

// keep keeps the newest of the Secrets with the same label: an older one is being replaced.
func (c contents) keep(secret corev1.Secret) {
	name := secret.Labels["name"]
	if name == "" {
		name = secret.Name
	}
	of := c.secrets[secret.Namespace]
	if of == nil {
		of = map[string]corev1.Secret{}
		c.secrets[secret.Namespace] = of
	}
	if former, ok := of[name]; !ok || former.CreationTimestamp.Before(&secret.CreationTimestamp) {
		of[name] = secret
	}
}

// access is how the controllers of the seed reach shoots. Some seeds have to be asked for it, which may take longer than ctx.
func (n inNamespaces) access(ctx context.Context) (func([]byte) (*rest.Config, error), error) {
	adapted := make(chan gardenlet.Config, 1)
	go func() {
		config := gardenlet.Config{}
		n.seed.Adapt(&config)
		adapted <- config
	}()
	select {
	case config := <-adapted:
		return config.Access.Config, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
