// Package dns publishes and removes the DNS names of a shoot.
package dns

import (
	"context"
	"errors"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// DeployInternal publishes the internal name of the API server.
func (r Records) DeployInternal(ctx context.Context) error {
	return r.deploy(ctx, constants.DNSRecordInternalName, r.Exposure.Internal)
}

// DeployExternal publishes the external name of the API server. A shoot whose DNS nobody manages has none.
func (r Records) DeployExternal(ctx context.Context) error {
	if r.Exposure.External == nil {
		return r.DestroyExternal(ctx)
	}
	return r.deploy(ctx, constants.DNSRecordExternalName, r.Exposure.External)
}

// deploy publishes the name of the API server in a domain and waits until that is done.
func (r Records) deploy(ctx context.Context, name string, domain *operation.Domain) error {
	gateway, err := r.Exposure.Gateway()
	if err != nil {
		return err
	}
	if len(gateway.Addresses) == 0 {
		return errors.New("the front door has no address")
	}
	return r.Publish(ctx, name, domain, domain.APIServer(), gateway.Addresses)
}

// DestroyInternal removes the internal name.
func (r Records) DestroyInternal(ctx context.Context) error {
	return r.Destroy(ctx, constants.DNSRecordInternalName)
}

// DestroyExternal removes the external name.
func (r Records) DestroyExternal(ctx context.Context) error {
	return r.Destroy(ctx, constants.DNSRecordExternalName)
}
