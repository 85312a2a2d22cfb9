// Package apiserver deploys the kube-apiserver of a shoot and the access for its clients.
package apiserver

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Deploy writes the server. New keys of rotations are used only if all API servers are known to have them.
//
// A refused document of the user does not block the deletion of a Shoot: the server stays as it is.
func (s Server) Deploy(ctx context.Context, made credentials.Made, clusterIP string) error {
	used, err := s.usedKeys(ctx, made)
	if err != nil {
		return err
	}
	err = s.deploy(ctx, made, clusterIP, used)
	if err != nil && staysAsItIs(s.Shoot, err) {
		log.FromContext(ctx).Info("The API server of a shoot that is being deleted stays as it is", "reason", err.Error())
		return nil
	}
	return err
}

// staysAsItIs reports whether only the user could cure the error, and the Shoot is being deleted.
func staysAsItIs(shoot *gardencorev1beta1.Shoot, err error) bool {
	return shoot.DeletionTimestamp != nil && slices.Contains(contract.Codes(err), gardencorev1beta1.ErrorConfigurationProblem)
}

func (s Server) deploy(ctx context.Context, made credentials.Made, clusterIP string, used newKeys) error {
	values, err := s.values(ctx, made, clusterIP)
	if err != nil {
		return err
	}
	used.choose(made, &values)
	objects, _, err := kubeapiserver.Objects(values)
	if err != nil {
		return err
	}
	return s.Space.ApplyAll(ctx, objects...)
}

// Await waits until the Deployment is rolled out.
func (s Server) Await(ctx context.Context) error {
	return s.Space.AwaitDeployment(ctx, names.APIServer)
}

// ScaleUp starts a hibernated server.
func (s Server) ScaleUp(ctx context.Context) error {
	return s.Space.Scale(ctx, names.APIServer, s.Space.Availability.Servers())
}

// Delete deletes the Deployment. Its pods end with it, see AwaitGone.
func (s Server) Delete(ctx context.Context) error {
	return s.Space.DeleteDeployment(ctx, names.APIServer)
}

// AwaitGone waits until the Deployment and all pods of it are gone. The pods have no clients any more, so their grace period is cut short.
func (s Server) AwaitGone(ctx context.Context) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: s.Space.Name, Name: names.APIServer}}
	return await.Poll(ctx, func() error {
		err := s.Space.Client.Get(ctx, client.ObjectKeyFromObject(deployment), deployment)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("read deployment %q: %w", deployment.Name, err)
		}
		gone := apierrors.IsNotFound(err)
		left, err := s.endPods(ctx, gone)
		switch {
		case err != nil:
			return err
		case !gone:
			return fmt.Errorf("deployment %q still exists", deployment.Name)
		case left > 0:
			return fmt.Errorf("%d pods of kube-apiserver still exist", left)
		}
		return nil
	})
}

// shortGrace is the shortest grace period, in seconds, in which a node still notices the end of its pod.
const shortGrace = 1

// endPods cuts the grace periods of the pods that are being deleted, and returns how many pods there are. It deletes others only if
// nobody would replace them.
func (s Server) endPods(ctx context.Context, orphans bool) (int, error) {
	pods := &corev1.PodList{}
	if err := s.Space.Client.List(ctx, pods, client.InNamespace(s.Space.Name), client.MatchingLabels(kubeapiserver.Labels())); err != nil {
		return 0, fmt.Errorf("list pods of kube-apiserver: %w", err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		deleted := pod.DeletionTimestamp != nil
		if !deleted && !orphans || deleted && ptr.Deref(pod.DeletionGracePeriodSeconds, 2*shortGrace) <= shortGrace {
			continue
		}
		if err := s.Space.Client.Delete(ctx, pod, client.GracePeriodSeconds(shortGrace)); client.IgnoreNotFound(err) != nil {
			return 0, fmt.Errorf("end pod %q: %w", pod.Name, err)
		}
	}
	return len(pods.Items), nil
}

// UseNewKeys makes the new keys of rotations encrypt and sign, after all API servers have got them. When it returns, no API server signs
// with an old key any more.
func (s Server) UseNewKeys(ctx context.Context, made credentials.Made, clusterIP string) error {
	used, err := s.usedKeys(ctx, made)
	if err != nil {
		return err
	}
	if !used.encrypt || !used.sign {
		if err := s.awaitFormer(ctx); err != nil {
			return err
		}
		if err := s.deploy(ctx, made, clusterIP, newKeys{encrypt: true, sign: true}); err != nil {
			return err
		}
	}
	return s.awaitFormer(ctx)
}

// awaitFormer waits until the Deployment is rolled out, and the API servers that it has replaced have ended. While they end, they still serve
// the clients that are connected, with the keys that they have.
func (s Server) awaitFormer(ctx context.Context) error {
	if err := s.Await(ctx); err != nil {
		return err
	}
	return s.Space.AwaitEnded(ctx, kubeapiserver.Labels())
}
