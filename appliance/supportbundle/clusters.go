package supportbundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clientgo "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/appliance/supportbundle/redact"
)

// Cluster is the garden or a seed.
type Cluster struct {
	// Name is garden, or that of the seed.
	Name string
	// Config is how an administrator reaches the cluster. It is called when the cluster is asked.
	Config func(ctx context.Context) (*rest.Config, error)
	// Garden is true for the garden.
	Garden bool
}

// Connect returns a client for objects of any kind.
func (c Cluster) Connect(ctx context.Context) (client.Client, error) {
	config, err := c.Config(ctx)
	if err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.Timeout = patience
	return client.New(config, client.Options{})
}

func (c Cluster) dir() string {
	if c.Garden {
		return "garden"
	}
	return path.Join("seeds", c.Name)
}

// Objects are the objects of a cluster that help, in a file for each kind.
func (c Cluster) Objects() []Section {
	kinds := seedKinds
	if c.Garden {
		kinds = gardenKinds
	}
	var sections []Section
	for _, kind := range kinds {
		name := path.Join(c.dir(), strings.ToLower(kind.Kind)+"."+kind.Group)
		sections = append(sections, Section{Name: strings.TrimSuffix(name, ".") + ".yaml", Collect: func(ctx context.Context, w io.Writer) error {
			connected, err := c.Connect(ctx)
			if err != nil {
				return err
			}
			return eachOf(ctx, connected, kind, func(object *unstructured.Unstructured) error { return writeObject(w, object) })
		}})
	}
	return sections
}

func writeObject(w io.Writer, object *unstructured.Unstructured) error {
	redact.Object(object.Object)
	text, err := yaml.Marshal(object.Object)
	if err == nil {
		_, err = fmt.Fprintf(w, "---\n%s", text)
	}
	return err
}

const (
	// logLines and logBytes bound the log of a container.
	logLines = 2000
	logBytes = 1 << 20
)

// PodLogs are the ends of the logs of all pods of a seed. Pods that started again have two.
func (c Cluster) PodLogs(ctx context.Context) ([]Section, error) {
	config, err := c.Config(ctx)
	if err != nil {
		return nil, err
	}
	connected, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	logs, err := clientgo.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	pods := &corev1.PodList{}
	if err := connected.List(ctx, pods); err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	var sections []Section
	for i := range pods.Items {
		sections = append(sections, c.logsOfPod(logs, &pods.Items[i])...)
	}
	return sections, nil
}

func (c Cluster) logsOfPod(logs clientgo.Interface, pod *corev1.Pod) []Section {
	var sections []Section
	for _, status := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
		name := path.Join(c.dir(), "logs", pod.Namespace, pod.Name, status.Name)
		if status.ContainerID != "" {
			sections = append(sections, logOf(logs, pod, name+".log", &corev1.PodLogOptions{Container: status.Name}))
		}
		if status.RestartCount > 0 {
			sections = append(sections, logOf(logs, pod, name+".previous.log", &corev1.PodLogOptions{Container: status.Name, Previous: true}))
		}
	}
	return sections
}

func logOf(logs clientgo.Interface, pod *corev1.Pod, name string, options *corev1.PodLogOptions) Section {
	lines := int64(logLines)
	options.TailLines = &lines
	return Section{Name: name, Collect: func(ctx context.Context, w io.Writer) error {
		stream, err := logs.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).Stream(ctx)
		if err != nil {
			return err
		}
		return errors.Join(copyLines(w, stream, logBytes), stream.Close())
	}}
}
