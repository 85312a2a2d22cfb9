// Package apiserver deploys the kube-apiserver of a shoot and the access for its clients.
package apiserver

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
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

// Delete deletes the pods without a grace period, since they have no clients any more.
func (s Server) Delete(ctx context.Context) error {
	if err := s.Space.DeleteDeployment(ctx, names.APIServer); err != nil {
		return err
	}
	err := s.Space.Client.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(s.Space.Name), client.MatchingLabels(kubeapiserver.Labels()), client.GracePeriodSeconds(1))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete pods of kube-apiserver: %w", err)
	}
	return nil
}

// AwaitGone waits until the Deployment and all its pods are gone.
func (s Server) AwaitGone(ctx context.Context) error {
	return s.Space.AwaitDeploymentGone(ctx, names.APIServer)
}
