package kubeapi

import (
	"k8s.io/kubernetes/cmd/kube-apiserver/app"

	"github.com/gardener-up/gardener-up/embedded/polled"
)

// pollCertificates makes the server look at its files now and then. By itself it opens an inotify instance for each, two for some.
func pollCertificates(config *app.Config) {
	serving := config.KubeAPIs.ControlPlane.Generic.SecureServing // all servers of the chain share it
	serving.Cert = polled.Pair(serving.Cert)
	for i, named := range serving.SNICerts {
		serving.SNICerts[i] = polled.Named(named)
	}
	if serving.ClientCA != nil { // those of the authenticators
		serving.ClientCA = polled.CA(serving.ClientCA)
	}
	published := &config.KubeAPIs.ControlPlane.ClusterAuthenticationInfo
	if published.ClientCA != nil {
		published.ClientCA = polled.CA(published.ClientCA)
	}
	if published.RequestHeaderCA != nil {
		published.RequestHeaderCA = polled.CA(published.RequestHeaderCA)
	}
}
