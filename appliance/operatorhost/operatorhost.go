// Package operatorhost fills in a host of controllers/operator/host: it describes the landscape to the controllers of gardener-operator, which
// reconcile its Garden. The description says how they reach the garden's API server, which parts of the process are components of the Garden,
// and which credentials of the garden can be rotated. Names of the garden in DNS are in package servers, and the people who operate a
// landscape are in package operators.
package operatorhost

import (
	"context"
	"os"

	"github.com/gardener-up/gardener-up/appliance/backup"
	"github.com/gardener-up/gardener-up/appliance/gardenkeys"
	"github.com/gardener-up/gardener-up/appliance/gardens"
	"github.com/gardener-up/gardener-up/appliance/gardenservice"
	"github.com/gardener-up/gardener-up/appliance/landscape"
	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// Garden describes the landscape. The description of the host is made when the controllers start.
func Garden(in Inputs) managers.Garden {
	values := gardens.Values{
		Name: in.Landscape, Domain: in.Door.Domain, Identity: in.ID, Version: landscape.KubernetesVersions()[0],
		VirtualServices: servers.GardenServices,
	}
	return managers.Garden{Values: values, Host: func(resourceManager *host.Component) (host.Host, error) {
		trusted := func() ([]byte, error) { return os.ReadFile(in.Access.PKI.Garden.CA) }
		return host.Host{
			Name: values.Name, Versions: []string{values.Version}, Domain: values.Domain, Services: values.VirtualServices,
			Gardener: gardencorev1beta1.Gardener{ID: in.ID, Name: managers.GardenOperator, Version: in.Version},
			Access: func(*operatorv1alpha1.Garden) host.Access {
				return host.Access{Server: "https://" + in.Door.Address(), ServerName: servers.GardenHostname(values.Domain), ForPods: gardenservice.URL(), CA: trusted}
			},
			ServeDomains: serveDomains(in.PKI, in.Door.Names),
			Components:   gardens.Components(componentParts(), in.Parts.Ready, resourceManager), Credentials: credentials(in),
		}, nil
	}}
}

// serveDomains makes the API server of the garden known in further domains: by its certificate, and at the front door.
func serveDomains(certificates *pki.PKI, door *servers.GardenNames) func(context.Context, []string) error {
	return func(_ context.Context, domains []string) error {
		var names []string
		for _, domain := range domains {
			names = append(names, servers.GardenHostname(domain))
		}
		if err := certificates.SetFurtherNames(names); err != nil {
			return err
		}
		door.Set(names)
		return nil
	}
}

// credentials are those of the garden that can be rotated.
func credentials(in Inputs) host.Credentials {
	files := gardenkeys.Files{Keys: pki.Rotation{PKI: in.PKI, Note: in.NoteRotation}, Turn: func() (func() error, error) {
		lock, err := backup.Keys(in.Paths)
		if err != nil {
			return nil, err
		}
		return lock.Release, nil
	}}
	return host.Credentials{
		Authorities:       authorities(in, files),
		ServiceAccountKey: gardenkeys.Tokens{Files: files, Server: in.TokenKeys},
		EncryptionKey: gardenkeys.Encryption{
			Files: files, Etcd: servers.StoredAccess(in.Paths, servers.EtcdGarden, in.Access.Ports[servers.EtcdGarden]),
			Kinds: servers.GardenEncrypted(), Snapshot: in.Snapshot,
		},
		Observability: true, // see package monitoring
	}
}
