package shoot

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/kubernetes"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

const (
	suffixClientCA = "." + constants.ShootProjectSecretSuffixCAClient
	suffixServerCA = "." + constants.ShootProjectSecretSuffixCACluster
	keyCert        = constants.DataKeyCACertificate
	keyKey         = constants.DataKeyCAPrivateKey
)

// authorities reads the certificate authorities of shoots.
type authorities struct {
	garden  kubernetes.Interface
	secrets rest.Getter // InternalSecrets
	states  rest.Getter // ShootStates
}

// client returns the CA that signs client certificates for the API server of a shoot.
func (a authorities) client(ctx context.Context, s *core.Shoot) (certificate.Authority, error) {
	name := s.Name + suffixClientCA
	found, err := a.secrets.Get(ctx, name, &metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return a.fromState(ctx, s)
	}
	if err != nil {
		return certificate.Authority{}, fmt.Errorf("read client CA of shoot %s/%s from InternalSecret %q: %w", s.Namespace, s.Name, name, err)
	}
	secret := found.(*core.InternalSecret)
	ca, err := certificate.ParseAuthority(secret.Data[keyCert], secret.Data[keyKey])
	if err != nil {
		return certificate.Authority{}, fmt.Errorf("client CA of shoot %s/%s in InternalSecret %q: %w", s.Namespace, s.Name, name, err)
	}
	return ca, nil
}

// fromState reads the client CA from the ShootState, where older gardenlets stored it before there were InternalSecrets.
func (a authorities) fromState(ctx context.Context, s *core.Shoot) (certificate.Authority, error) {
	found, err := a.states.Get(ctx, s.Name, &metav1.GetOptions{})
	if err != nil {
		return certificate.Authority{}, fmt.Errorf("client CA of shoot %s/%s is neither in InternalSecret %q nor in its ShootState: %w", s.Namespace, s.Name, s.Name+suffixClientCA, err)
	}
	for _, entry := range found.(*core.ShootState).Spec.Gardener {
		if entry.Name != constants.ShootProjectSecretSuffixCAClient {
			continue
		}
		var data map[string][]byte
		if err := json.Unmarshal(entry.Data.Raw, &data); err != nil {
			return certificate.Authority{}, fmt.Errorf("client CA of shoot %s/%s in its ShootState: %w", s.Namespace, s.Name, err)
		}
		ca, err := certificate.ParseAuthority(data[keyCert], data[keyKey])
		if err != nil {
			return certificate.Authority{}, fmt.Errorf("client CA of shoot %s/%s in its ShootState: %w", s.Namespace, s.Name, err)
		}
		return ca, nil
	}
	return certificate.Authority{}, fmt.Errorf("client CA of shoot %s/%s is neither in InternalSecret %q nor in its ShootState", s.Namespace, s.Name, s.Name+suffixClientCA)
}

// server returns the CA bundle by which clients trust the API server of a shoot.
func (a authorities) server(ctx context.Context, s *core.Shoot) ([]byte, error) {
	name := s.Name + suffixServerCA
	secret, err := a.garden.CoreV1().Secrets(s.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err == nil && len(secret.Data[keyCert]) > 0 {
		return secret.Data[keyCert], nil
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("read CA bundle of shoot %s/%s: %w", s.Namespace, s.Name, err)
	}
	config, err := a.garden.CoreV1().ConfigMaps(s.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read CA bundle of shoot %s/%s: %w", s.Namespace, s.Name, err)
	}
	if config.Data[keyCert] == "" {
		return nil, fmt.Errorf("CA bundle of shoot %s/%s: no key %q in Secret or ConfigMap %q", s.Namespace, s.Name, keyCert, name)
	}
	return []byte(config.Data[keyCert]), nil
}
