package mergedkubeconfigs

import (
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// NamedAfter returns a kubeconfig whose names begin with that of a landscape. Every landscape has a seed and a project "local", so without
// that the kubeconfigs of two landscapes replace each other in one file. The name of a garden contains that of its landscape anyway.
// Neither names of landscapes nor other names in kubeconfigs of a landscape contain a slash.
func NamedAfter(landscape string, of *clientcmdapi.Config) *clientcmdapi.Config {
	named := func(name string) string {
		if name == "garden-"+landscape {
			return name
		}
		return landscape + "/" + name
	}
	out := clientcmdapi.NewConfig()
	for name, cluster := range of.Clusters {
		out.Clusters[named(name)] = cluster
	}
	for name, user := range of.AuthInfos {
		out.AuthInfos[named(name)] = user
	}
	for name, context := range of.Contexts {
		renamed := context.DeepCopy()
		renamed.Cluster, renamed.AuthInfo = named(context.Cluster), named(context.AuthInfo)
		out.Contexts[named(name)] = renamed
	}
	out.CurrentContext = named(of.CurrentContext)
	return out
}
