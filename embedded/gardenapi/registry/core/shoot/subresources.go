package shoot

import (
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
)

// AddSubresources adds the subresources of shoots other than status. internalSecrets holds the client CAs, states holds
// the client CAs of shoots of older gardenlets.
func AddSubresources(paths map[string]rest.Storage, shoots *registry.Store, internalSecrets, states rest.Getter, k Kubeconfigs) {
	paths["shoots/binding"] = newBinding(shoots)
	if !k.Enabled {
		return
	}
	ca := authorities{garden: k.Garden, secrets: internalSecrets, states: states}
	paths["shoots/adminkubeconfig"] = &kubeconfigREST{adminBody(k.AdminMaxExpiration), ca, shoots, k.FrontDoor}
	paths["shoots/viewerkubeconfig"] = &kubeconfigREST{viewerBody(k.ViewerMaxExpiration, viewers{k.Garden}), ca, shoots, k.FrontDoor}
}
