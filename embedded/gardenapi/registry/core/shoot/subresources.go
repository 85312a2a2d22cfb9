package shoot

import (
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
)

// AddSubresources enters what shoots have besides status. internalSecrets holds the client CAs.
func AddSubresources(paths map[string]rest.Storage, shoots *registry.Store, internalSecrets rest.Getter, k Kubeconfigs) {
	paths["shoots/binding"] = newBinding(shoots)
	if !k.Enabled {
		return
	}
	ca := authorities{garden: k.Garden, secrets: internalSecrets}
	paths["shoots/adminkubeconfig"] = &kubeconfigREST{adminBody(k.AdminMaxExpiration), ca, shoots, k.FrontDoorAddress}
	paths["shoots/viewerkubeconfig"] = &kubeconfigREST{viewerBody(k.ViewerMaxExpiration), ca, shoots, k.FrontDoorAddress}
}
