// Package proof shows that the nodes of a runtime cluster get the appliance image and can run it: by a pod on a node of each
// architecture, which prints its version. Of an image that is in no registry it needs a pod on each node. The pods are gone afterwards.
package proof

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/cluster"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/objects"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	namePrefix = "gardener-bootstrap-image-"
	pause      = 300 * time.Millisecond
	// cleanup bounds the removal of a pod after an interrupt, too.
	cleanup = 10 * time.Second
)

// Inputs of a proof.
type Inputs struct {
	Cluster *cluster.Cluster
	// Image is the appliance image, Version what it must print as its own.
	Image, Version string
	// Architectures of the nodes.
	Architectures []string
	// Nodes are the names of those that must have the image already. Without any, the nodes pull it.
	Nodes []string
}

// ErrAbsent means that nodes do not have an image that is in no registry.
var ErrAbsent = errors.New("the image is not there")

// Run makes a pod for each architecture, one after the other, or for each of the nodes. The namespace of the operator must exist.
func Run(ctx context.Context, in Inputs) error {
	if len(in.Nodes) > 0 {
		return in.each(ctx)
	}
	for _, architecture := range in.Architectures {
		if err := in.run(ctx, Pod(in.Image, architecture)); err != nil {
			return fmt.Errorf("a node with processors of %s: %w", architecture, err)
		}
	}
	return nil
}

// atOnce is how many nodes are asked at a time.
const atOnce = 16

// each asks all nodes, and names all that lack the image in one sentence.
func (in Inputs) each(ctx context.Context) error {
	results := make([]error, len(in.Nodes))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, node := range in.Nodes {
		group.Go(func() error {
			results[i] = in.run(ctx, PodOn(in.Image, node))
			return nil
		})
	}
	_ = group.Wait()
	var lack []string
	var others []error
	for i, err := range results {
		switch {
		case errors.Is(err, ErrAbsent):
			lack = append(lack, in.Nodes[i])
		case err != nil:
			others = append(others, fmt.Errorf("node %s: %w", in.Nodes[i], err))
		}
	}
	if len(lack) > 0 {
		others = append([]error{fmt.Errorf("%w: nodes without %s: %s", ErrAbsent, in.Image, strings.Join(lack, ", "))}, others...)
	}
	return errors.Join(others...)
}

func (in Inputs) run(ctx context.Context, pod *corev1.Pod) (err error) {
	if err := in.gone(ctx, pod); err != nil { // one that an earlier run has left
		return err
	}
	defer func() {
		left, end := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
		defer end()
		err = errors.Join(err, in.gone(left, pod))
	}()
	if err := in.Cluster.Client.Create(ctx, pod); err != nil {
		return fmt.Errorf("make the pod %s: %w", pod.Name, err)
	}
	if err := in.ended(ctx, pod); err != nil {
		return err
	}
	printed, err := in.written(ctx, pod.Name)
	if err != nil {
		return err
	}
	return check(printed, in.Version)
}

// flushed is how long a busy node may take to write what a container has printed, after the container has ended.
const flushed = 10 * time.Second

// written waits until the pod's log is there. An image that prints nothing has an empty one.
func (in Inputs) written(ctx context.Context, pod string) ([]byte, error) {
	for end := time.Now().Add(flushed); ; {
		printed, err := in.output(ctx, pod)
		if err != nil || len(printed) > 0 || time.Now().After(end) {
			return printed, err
		}
		if err := rest(ctx); err != nil {
			return nil, fmt.Errorf("read what the pod %s has printed: %w", pod, err)
		}
	}
}

// Pod runs the appliance image once on a node of an architecture.
func Pod(image, architecture string) *corev1.Pod {
	pod := pod(image, architecture)
	pod.Spec.NodeSelector[corev1.LabelArchStable] = architecture
	return pod
}

// PodOn runs the appliance image once on the node, which has it.
func PodOn(image, node string) *corev1.Pod {
	sum := sha256.Sum256([]byte(node)) // names of nodes may be longer than what is left of a pod's name
	pod := pod(image, hex.EncodeToString(sum[:8]))
	pod.Spec.Containers[0].ImagePullPolicy = corev1.PullNever
	pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}},
	}}}
	return pod
}

func pod(image, suffix string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: namePrefix + suffix, Namespace: constants.GardenNamespace, Labels: map[string]string{objects.LabelManagedBy: objects.ManagedBy},
		},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: ptr.To(false), EnableServiceLinks: ptr.To(false),
			NodeSelector: map[string]string{corev1.LabelOSStable: "linux"}, SecurityContext: objects.PodRestricted(),
			Containers: []corev1.Container{{
				Name: "version", Image: image, ImagePullPolicy: corev1.PullIfNotPresent, WorkingDir: "/", Args: []string{"version", "-o", "json"},
				SecurityContext: objects.Restricted(),
			}},
		},
	}
}

// gone deletes the pod and waits until it is gone.
func (in Inputs) gone(ctx context.Context, pod *corev1.Pod) error {
	for {
		err := in.Cluster.Client.Delete(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}, client.GracePeriodSeconds(0))
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("delete the pod %s: %w", pod.Name, err)
		}
		if err := rest(ctx); err != nil {
			return fmt.Errorf("wait until the pod %s is gone: %w", pod.Name, err)
		}
	}
}

// ended waits until the pod has run. What it waits for is part of the error of a timeout.
func (in Inputs) ended(ctx context.Context, pod *corev1.Pod) error {
	for {
		if err := in.Cluster.Client.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
			return fmt.Errorf("read the pod %s: %w", pod.Name, err)
		}
		doing, err := judge(pod)
		if err != nil || doing == "" {
			return err
		}
		if err := rest(ctx); err != nil {
			return fmt.Errorf("the pod %s does not run: %s: %w", pod.Name, doing, err)
		}
	}
}

// hopeless are reasons of a container that waits which time does not cure.
var hopeless = []string{"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "CreateContainerConfigError", "CreateContainerError", "RunContainerError"}

// judge returns what the pod waits for; empty if it has succeeded.
func judge(pod *corev1.Pod) (doing string, _ error) {
	switch pod.Status.Phase {
	case corev1.PodSucceeded:
		return "", nil
	case corev1.PodFailed:
		return "", fmt.Errorf("the image %s does not run there: %s", pod.Spec.Containers[0].Image, failure(pod))
	}
	for _, status := range pod.Status.ContainerStatuses {
		if waiting := status.State.Waiting; waiting != nil {
			if waiting.Reason == "ErrImageNeverPull" {
				return "", fmt.Errorf("%w: %s", ErrAbsent, waiting.Message)
			}
			if slices.Contains(hopeless, waiting.Reason) {
				return "", fmt.Errorf("the image %s cannot be run there: %s: %s", pod.Spec.Containers[0].Image, waiting.Reason, waiting.Message)
			}
			return strings.TrimSuffix(waiting.Reason+": "+waiting.Message, ": "), nil
		}
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return condition.Reason + ": " + condition.Message, nil
		}
	}
	return "it is starting", nil
}

func failure(pod *corev1.Pod) string {
	for _, status := range pod.Status.ContainerStatuses {
		if ended := status.State.Terminated; ended != nil {
			return strings.TrimSpace(fmt.Sprintf("it ended with exit code %d %s", ended.ExitCode, ended.Message))
		}
	}
	return strings.TrimSpace(pod.Status.Reason + " " + pod.Status.Message)
}

// most is more than a version.
const most = 64 << 10

func (in Inputs) output(ctx context.Context, pod string) ([]byte, error) {
	stream, err := in.Cluster.Kubernetes.CoreV1().Pods(constants.GardenNamespace).GetLogs(pod, &corev1.PodLogOptions{}).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what the pod %s has printed: %w", pod, err)
	}
	defer func() { _ = stream.Close() }()
	return io.ReadAll(io.LimitReader(stream, most))
}

// quoted is how much of something else an error has.
const quoted = 200

// check compares what the image has printed with the version of this binary, which makes objects for its own version only.
func check(printed []byte, version string) error {
	var found struct {
		Gardener string `json:"gardener"`
	}
	if err := json.Unmarshal(printed, &found); err != nil || found.Gardener == "" {
		return fmt.Errorf("the image runs, but it is not that of this program: it does not print its version, but %q", printed[:min(len(printed), quoted)])
	}
	if found.Gardener != version {
		return fmt.Errorf("the image is that of version %s, and this program is %s", found.Gardener, version)
	}
	return nil
}

func rest(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause):
		return nil
	}
}
