package appliance

import (
	"context"
	"fmt"
	"os"

	"github.com/gardener-up/gardener-up/appliance/backup"
	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/gardenkeys"
	"github.com/gardener-up/gardener-up/appliance/gardens"
	"github.com/gardener-up/gardener-up/appliance/gardenservice"
	objects "github.com/gardener-up/gardener-up/appliance/landscape"
	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// gardenOperator describes the landscape to the controllers of its Garden. They ask for the host once the parts are listed.
func (l *landscape) gardenOperator() managers.Garden {
	values := gardens.Values{
		Name: l.Config.Name, Domain: l.Config.GardenDomain(), Identity: l.Identity.ID, Version: objects.KubernetesVersions()[0],
		VirtualServices: servers.GardenServices,
	}
	return managers.Garden{Values: values, Host: func(resourceManager *host.Component) (host.Host, error) {
		trusted := func() ([]byte, error) { return os.ReadFile(l.bundle.Garden.CA) }
		return host.Host{
			Name: values.Name, Versions: []string{values.Version}, Domain: values.Domain, Services: values.VirtualServices,
			Gardener: gardencorev1beta1.Gardener{ID: l.Identity.ID, Name: managers.GardenOperator, Version: l.Version},
			Access: func(*operatorv1alpha1.Garden) host.Access {
				return host.Access{Server: "https://" + l.servers().FrontDoorAddress(), ServerName: servers.GardenHost(values.Domain), ForPods: gardenservice.URL(), CA: trusted}
			},
			ServeDomains: serveDomains(l.pki, l.gardenNames),
			Components:   gardens.Components(componentParts(), l.ready, resourceManager), Credentials: l.credentials(),
		}, nil
	}}
}

// serveDomains makes the API server of the garden known in further domains: by its certificate, and at the front door.
func serveDomains(certificates *pki.PKI, door *servers.GardenNames) func(context.Context, []string) error {
	return func(_ context.Context, domains []string) error {
		var names []string
		for _, domain := range domains {
			names = append(names, servers.GardenHost(domain))
		}
		if err := certificates.SetFurtherNames(names); err != nil {
			return err
		}
		door.Set(names)
		return nil
	}
}

// credentials are those of the garden that can be rotated.
func (l *landscape) credentials() host.Credentials {
	files := gardenkeys.Files{Keys: pki.Rotation{PKI: l.pki, Note: l.NoteRotation}, Turn: func() (func() error, error) {
		lock, err := backup.Keys(l.Paths)
		if err != nil {
			return nil, err
		}
		return lock.Release, nil
	}}
	return host.Credentials{
		Authorities:       gardenAuthorities(l.servers(), files, l.Log),
		ServiceAccountKey: gardenkeys.Tokens{Files: files, Server: l.tokenKeys},
		EncryptionKey: gardenkeys.Encryption{
			Files: files, Etcd: servers.StoredAccess(l.Paths, servers.EtcdGarden, l.Ports[servers.EtcdGarden]),
			Kinds: servers.GardenEncrypted(), Snapshot: l.snapshots.Full,
		},
		Observability: true, // see l.monitoring
	}
}

func componentParts() gardens.Parts {
	return gardens.Parts{
		ETCD: servers.EtcdGarden, APIServer: servers.GardenAPIServer, Controllers: servers.GardenControllers,
		GardenerAPIServer: servers.GardenerAPIServer, GardenerAPI: servers.GardenerAPI,
		ControllerManager: managers.ControllerManager, Scheduler: managers.Scheduler, AdmissionController: managers.Admission,
		SeedOperators: managers.Operators, FrontDoor: servers.FrontDoor, Metrics: servers.Metrics,
	}
}

// ready returns a function that asks a part whether it serves.
func (l *landscape) ready(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		for _, part := range l.listed {
			if part.Name() != name {
				continue
			}
			if err := part.Ready(ctx); err != nil {
				return fmt.Errorf("part %q of the landscape does not serve: %w", name, err)
			}
			return nil
		}
		return fmt.Errorf("the landscape has no part %q", name)
	}
}

// list keeps the parts for ready. It is called before any part starts.
func (l *landscape) list(parts []component.Part) []component.Part {
	l.listed = parts
	return parts
}
