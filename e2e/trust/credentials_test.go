package trust

import (
	"encoding/base64"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// elsewhere shows the credentials of each cluster to the API servers of the others. No API server knows those of another one.
func elsewhere(f *fixture) {
	kubeconfigs := map[string]string{"garden": f.Garden(), "seed": f.Seed(), "shoot": f.shoot}
	servers := map[string]*rest.Config{}
	for name, kubeconfig := range kubeconfigs {
		config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
		if err != nil {
			f.t.Fatal(err)
		}
		servers[name] = config
	}
	token := func(cluster, namespace, account string) rest.Config {
		return rest.Config{BearerToken: strings.TrimSpace(f.Kubectl(kubeconfigs[cluster], "-n", namespace, "create", "token", account))}
	}
	encoded := f.Kubectl(f.Seed(), "-n", "garden", "get", "secret", "gardenlet-kubeconfig", "-o", "jsonpath={.data.kubeconfig}")
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		f.t.Fatal(err)
	}
	gardenlet, err := clientcmd.RESTConfigFromKubeConfig(text)
	if err != nil {
		f.t.Fatal(err)
	}
	certificate := func(of *rest.Config) rest.Config {
		return rest.Config{TLSClientConfig: rest.TLSClientConfig{CertData: of.CertData, KeyData: of.KeyData}}
	}
	for _, held := range []struct {
		what, home string
		credential rest.Config
	}{
		{"the administrator's certificate", "shoot", certificate(servers["shoot"])},
		{"a service account's token", "shoot", token("shoot", "default", "default")},
		{"a token of the control plane", "seed", token("seed", technical, "gardener-resource-manager")},
		{"a token in a project", "garden", token("garden", project, "default")},
		{"the gardenlet's certificate", "garden", certificate(gardenlet)},
	} {
		for name, server := range servers {
			config := held.credential
			config.Host, config.Insecure, config.ServerName = server.Host, true, server.ServerName // the authority is not what is tried
			answer, err := kubernetes.NewForConfigOrDie(&config).AuthenticationV1().SelfSubjectReviews().Create(f.t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
			switch {
			case name == held.home && err != nil:
				f.t.Errorf("%s of the %s is not known there: %v", held.what, held.home, err)
			case name != held.home && !apierrors.IsUnauthorized(err):
				f.t.Errorf("the %s answers %s of the %s with %v, %v", name, held.what, held.home, answer, err)
			}
		}
	}
}
