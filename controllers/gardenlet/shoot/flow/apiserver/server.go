// Package apiserver deploys the kube-apiserver of a shoot and the access for its clients.
package apiserver

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
)

// Deploy writes the server, and the kubeconfigs for Gardener and users.
func (s Server) Deploy(ctx context.Context, made credentials.Made, clusterIP string) error {
	values, err := s.values(ctx, made, clusterIP)
	if err != nil {
		return err
	}
	objects, _, err := kubeapiserver.Objects(values)
	if err != nil {
		return err
	}
	if err := s.Space.ApplyAll(ctx, objects...); err != nil {
		return err
	}
	if err := s.Connector.DeployKubeconfigs(ctx, made); err != nil {
		return err
	}
	return s.Project.PublishKubeconfig(ctx, made.Manager, s.Exposure.URL())
}

// Await waits until the Deployment is rolled out.
func (s Server) Await(ctx context.Context) error {
	return s.Space.AwaitDeployment(ctx, names.APIServer)
}

// ScaleUp starts a hibernated server.
func (s Server) ScaleUp(ctx context.Context) error { return s.Space.Scale(ctx, names.APIServer, 1) }

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
