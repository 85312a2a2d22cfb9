package flow

import (
	"context"
	"fmt"
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// authorities are the CAs of a shoot with their common names.
var authorities = []struct {
	name, commonName string
	workers          bool // needed by workers only
}{
	{name: constants.SecretNameCACluster, commonName: "kubernetes"},
	{name: constants.SecretNameCAClient, commonName: "kubernetes-client"},
	{name: constants.SecretNameCAETCD, commonName: "etcd"},
	{name: constants.SecretNameCAETCDPeer, commonName: "etcd-peer"},
	{name: constants.SecretNameCAFrontProxy, commonName: "front-proxy"},
	{name: constants.SecretNameCAKubelet, commonName: "kubelet"},
	{name: constants.SecretNameCAMetricsServer, commonName: "metrics-server", workers: true},
	{name: constants.SecretNameCAVPN, commonName: "vpn", workers: true},
}

// initializeSecrets generates the authorities and keys that several components use, and what users get of them.
func (p *Plan) initializeSecrets(ctx context.Context) error {
	sm, err := secretsmanager.New(ctx, secretsmanager.Settings{
		Reader: p.SeedClient, Writer: p.SeedClient, Clock: p.Clock,
		Namespace: p.namespace, Identity: constants.SecretManagerIdentityGardenlet, Rotations: p.rotations(),
	})
	if err != nil {
		return err
	}
	options := func(phase gardencorev1beta1.CredentialsRotationPhase) []secretsmanager.Option {
		out := []secretsmanager.Option{secretsmanager.Persist(), secretsmanager.Rotate(secretsmanager.KeepOld)}
		if phase == gardencorev1beta1.RotationCompleting {
			out = append(out, secretsmanager.IgnoreOld())
		}
		return out
	}
	for _, ca := range authorities {
		if ca.workers && p.Workerless() {
			continue
		}
		config := secretsmanager.Certificate{Name: ca.name, CommonName: ca.commonName, Usage: secretsmanager.CA}
		if _, err := sm.Generate(ctx, config, options(p.phases().ca)...); err != nil {
			return err
		}
	}
	if _, err := sm.Generate(ctx, secretsmanager.Key{Name: constants.SecretNameServiceAccountKey}, options(p.phases().serviceAccountKey)...); err != nil {
		return err
	}
	encryption := secretsmanager.EncryptionKey{Name: constants.SecretNameETCDEncryptionKey, Bytes: 32}
	if _, err := sm.Generate(ctx, encryption, options(p.phases().encryptionKey)...); err != nil {
		return err
	}
	if _, err := sm.Generate(ctx, p.staticTokens(), secretsmanager.Persist()); err != nil {
		return err
	}
	p.secrets = sm
	if p.tunnelled() {
		if p.vpn, err = p.tunnelMode().GenerateSecrets(ctx, sm); err != nil {
			return err
		}
	}
	return p.deployAccessSecrets(ctx)
}

// staticTokens are for the probes of kube-apiserver and, if the Shoot wants one, for the kubeconfig that never expires.
func (p *Plan) staticTokens() secretsmanager.StaticTokens {
	tokens := secretsmanager.StaticTokens{Name: constants.SecretNameKubeAPIServerStaticToken, Tokens: []secretsmanager.StaticToken{
		{Username: kubeapiserver.HealthCheckUser, UserID: "health-check"},
	}}
	if p.StaticTokenKubeconfig() {
		tokens.Tokens = append(tokens.Tokens, secretsmanager.StaticToken{Username: kubeapiserver.ClusterAdmin, UserID: "admin", Groups: []string{"system:masters"}})
	}
	return tokens
}

// deployAccessSecrets writes the kubeconfigs that components and extensions mount.
func (p *Plan) deployAccessSecrets(ctx context.Context) error {
	ca := p.secrets.Bundle(constants.SecretNameCACluster).Data[secretsmanager.KeyBundle]
	token := access.TokenKubeconfig(p.namespace, ca)
	p.genericKubeconfig = token.Name
	if err := p.seed.ApplyAll(ctx, access.CertificateKubeconfig(p.namespace), token); err != nil {
		return err
	}
	if err := p.annotateCluster(ctx); err != nil {
		return err
	}
	return p.publishCAs(ctx)
}

type phases struct {
	ca, serviceAccountKey, encryptionKey gardencorev1beta1.CredentialsRotationPhase
}

// phases of the rotations that have any.
func (p *Plan) phases() phases {
	var out phases
	if rotation := rotationOf(p.Shoot); rotation != nil {
		if r := rotation.CertificateAuthorities; r != nil {
			out.ca = r.Phase
		}
		if r := rotation.ServiceAccountKey; r != nil {
			out.serviceAccountKey = r.Phase
		}
		if r := rotation.ETCDEncryptionKey; r != nil {
			out.encryptionKey = r.Phase
		}
	}
	return out
}

// rotations tells the secrets manager when the rotation of what was started last.
func (p *Plan) rotations() map[string]time.Time {
	out := map[string]time.Time{}
	note := func(started *metav1.Time, names ...string) {
		for _, name := range names {
			if started != nil {
				out[name] = started.Time
			}
		}
	}
	rotation := rotationOf(p.Shoot)
	if rotation == nil {
		return out
	}
	if r := rotation.CertificateAuthorities; r != nil {
		for _, ca := range authorities {
			note(r.LastInitiationTime, ca.name)
		}
	}
	if r := rotation.ServiceAccountKey; r != nil {
		note(r.LastInitiationTime, constants.SecretNameServiceAccountKey)
	}
	if r := rotation.ETCDEncryptionKey; r != nil {
		note(r.LastInitiationTime, constants.SecretNameETCDEncryptionKey)
	}
	if r := rotation.Kubeconfig; r != nil {
		note(r.LastInitiationTime, constants.SecretNameKubeAPIServerStaticToken)
	}
	if r := rotation.SSHKeypair; r != nil {
		note(r.LastInitiationTime, constants.SecretNameSSHKeyPair)
	}
	return maps.Clone(out)
}

func rotationOf(shoot *gardencorev1beta1.Shoot) *gardencorev1beta1.ShootCredentialsRotation {
	if shoot.Status.Credentials == nil {
		return nil
	}
	return shoot.Status.Credentials.Rotation
}

// sshKeypair generates the key that opens the nodes; it takes a while, so only who needs it asks for it.
func (p *Plan) sshKeypair(ctx context.Context) ([]byte, error) {
	if !p.SSHAccess() {
		return nil, nil
	}
	config := secretsmanager.Key{Name: constants.SecretNameSSHKeyPair, RSABits: 4096, SSH: true}
	secret, err := p.secrets.Generate(ctx, config, secretsmanager.Persist(), secretsmanager.Rotate(secretsmanager.KeepOld))
	if err != nil {
		return nil, fmt.Errorf("generate SSH key: %w", err)
	}
	return secret.Data[secretsmanager.KeyRSAPublic], nil
}
