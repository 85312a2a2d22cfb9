package etcd

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// TrustPeers makes all members trust both authorities of peers, and waits until they do. Members are restarted one after the other. One
// with a certificate of the new authority could not join others that know only the old one, so it gets the certificate afterwards.
func (e Etcd) TrustPeers(ctx context.Context, made credentials.Made) error {
	authority := made.Bundle(constants.SecretNameCAETCDPeer)
	if authority == nil {
		return fmt.Errorf("authority %q has not been generated", constants.SecretNameCAETCDPeer)
	}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}},"spec":{"etcd":{"peerUrlTls":{"tlsCASecretRef":{"name":%q}}}}}`,
		constants.GardenerOperation, constants.GardenerOperationReconcile, authority.Name)
	var running []string
	for _, role := range roles {
		found := object(role, e.Space.Name)
		if err := e.Space.Client.Get(ctx, client.ObjectKeyFromObject(found), found); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("read %s: %w", found.Name, err)
		}
		tls := found.Spec.Etcd.PeerUrlTLS
		if tls == nil || found.Spec.Replicas == 0 { // all members begin with the new certificates
			continue
		}
		running = append(running, role)
		if tls.TLSCASecretRef.Name == authority.Name {
			continue
		}
		if err := e.Space.Client.Patch(ctx, found, client.RawPatch("application/merge-patch+json", patch), seed.Owner); err != nil {
			return fmt.Errorf("change authority of peers of %s: %w", found.Name, err)
		}
	}
	return e.await(ctx, running)
}
