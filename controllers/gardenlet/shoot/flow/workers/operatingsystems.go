// Package workers requests the machines of a shoot from the provider, and specifies their content.
package workers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/operatingsystemconfig"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/system"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// UserData is the first part of the content of machines, by the name of their pool.
type UserData map[string]*extensionsv1alpha1.OperatingSystemConfig

// Deploy writes the content of the machines of every pool.
func (o OperatingSystems) Deploy(ctx context.Context, made credentials.Made, shoot connection.Connection) (seed.Requests, error) {
	dns, err := system.NameServer(o.Shoot, o.Networks)
	if err != nil {
		return nil, err
	}
	server, err := o.Exposure.MachineServer()
	if err != nil {
		return nil, err
	}
	requests := seed.Requests{}
	for _, worker := range o.Shoot.Spec.Provider.Workers {
		token, err := o.bootstrapToken(ctx, made, shoot, worker.Name)
		if err != nil {
			return nil, err
		}
		values := operatingsystemconfig.Values{
			Namespace: o.Space.Name, Image: o.Space.Image, Worker: worker, Version: operation.KubeletVersion(o.Shoot, worker), Kubelet: operation.KubeletConfig(o.Shoot, worker),
			APIServer: server,
			CA:        made.Bundle(constants.SecretNameCACluster).Data[secretsmanager.KeyBundle],
			KubeletCA: made.Bundle(constants.SecretNameCAKubelet).Data[secretsmanager.KeyBundle],
			Rotation:  rotation(o.Shoot), BootstrapToken: token, ClusterDNS: dns, NodeLocalDNS: helper.WantsNodeLocalDNS(o.Shoot), CABundle: o.CABundle,
		}
		for _, key := range []*corev1.Secret{made.Current(constants.SecretNameSSHKeyPair), made.Old(constants.SecretNameSSHKeyPair)} {
			if key != nil {
				values.SSHPublicKeys = append(values.SSHPublicKeys, key.Data[secretsmanager.KeyRSAPublic]...)
			}
		}
		provision, reconcile, err := operatingsystemconfig.Objects(values)
		if err != nil {
			return nil, err
		}
		for _, object := range []*extensionsv1alpha1.OperatingSystemConfig{provision, reconcile} {
			if err := o.Space.Extensions.Add(ctx, requests, object); err != nil {
				return nil, err
			}
		}
	}
	return requests, nil
}

// Await returns the results, which the Worker needs.
func (o OperatingSystems) Await(ctx context.Context, requests seed.Requests) (UserData, error) {
	userData := UserData{}
	for _, worker := range o.Shoot.Spec.Provider.Workers {
		prefix := key(o.Shoot, worker)
		for _, suffix := range []string{"-init", "-original"} {
			object := &extensionsv1alpha1.OperatingSystemConfig{ObjectMeta: metav1.ObjectMeta{Name: prefix + suffix, Namespace: o.Space.Name}}
			if err := o.Space.Extensions.Await(ctx, object, requests); err != nil {
				return nil, err
			}
			if suffix == "-init" {
				userData[worker.Name] = object
			}
		}
	}
	return userData, nil
}

// rotation is the status of the rotation of the shoot's credentials; nil if there was none.
func rotation(shoot *gardencorev1beta1.Shoot) *gardencorev1beta1.ShootCredentialsRotation {
	if shoot.Status.Credentials == nil {
		return nil
	}
	return shoot.Status.Credentials.Rotation
}
