package storagelimit

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-logr/logr"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"github.com/gardener-up/gardener-up/embedded/internal/lowdisk"
	"github.com/gardener-up/gardener-up/embedded/internal/sharedetcd"
)

// Etcds makes an API server heed what the members of its etcds tell about their disks, which may be on other machines. The overrides are those of the flag
// etcd-servers-overrides: etcds for some resources. It watches until the context ends. An etcd that does not answer yet is waited for in the background.
func Etcds(ctx context.Context, main storagebackend.TransportConfig, overrides []string, log logr.Logger) (func(resource schema.GroupResource, essential bool) error, error) {
	watch := func(servers []string) *lowdisk.Watch {
		transport := main
		transport.ServerList = servers
		dial := func() (*clientv3.Client, error) { return sharedetcd.Client(transport) }
		return lowdisk.NewWatch(ctx, dial, log.WithValues("etcd", strings.Join(servers, ",")))
	}
	others := map[schema.GroupResource][]string{}
	for _, override := range overrides {
		resource, servers, found := strings.Cut(override, "#")
		group, name, complete := strings.Cut(resource, "/")
		if !found || !complete {
			return nil, fmt.Errorf("--etcd-servers-overrides %q: use group/resource#servers", override)
		}
		others[schema.GroupResource{Group: group, Resource: name}] = strings.Split(servers, ";")
	}
	of := map[schema.GroupResource]*lowdisk.Watch{}
	for resource, servers := range others {
		of[resource] = watch(servers)
	}
	usual := watch(main.ServerList)
	return func(resource schema.GroupResource, essential bool) error {
		if resource.Resource == "events" { // of both groups, which are stored as one
			resource.Group = ""
		}
		if other := of[resource]; other != nil {
			return other.Low(essential)
		}
		return usual.Low(essential)
	}, nil
}
