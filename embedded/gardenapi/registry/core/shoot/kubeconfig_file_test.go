package shoot

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestKubeconfigServers(t *testing.T) {
	door := FrontDoor{Address: "127.0.0.1:8443"}
	for name, tc := range map[string]struct {
		addresses map[string]string
		want      map[string]string // server and TLS server name by the name of the address
	}{
		"APP-31 an address without names is dialled, and the others are as they are advertised": {
			map[string]string{"external": "https://127.130.1.2:8443", "external-domain": "https://api.sun.example.org:8443"},
			map[string]string{"external": "https://127.130.1.2:8443 ", "external-domain": "https://api.sun.example.org:8443 "},
		},
		"AKC-5 without one the front door is dialled": {
			map[string]string{"external": "https://api.sun.example.org"}, map[string]string{"external": "https://127.0.0.1:8443 api.sun.example.org"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky", Name: "sun"}}
			for _, name := range []string{"external", "external-domain"} {
				if url := tc.addresses[name]; url != "" {
					shoot.Status.AdvertisedAddresses = append(shoot.Status.AdvertisedAddresses, core.ShootAdvertisedAddress{Name: name, URL: url})
				}
			}
			text, err := newKubeconfig(shoot, []byte("bundle"), &credentials{}, door)
			if err != nil {
				t.Fatal(err)
			}
			config, err := clientcmd.Load(text)
			if err != nil {
				t.Fatal(err)
			}
			if config.CurrentContext != "garden-sky--sun-external" || len(config.Clusters) != len(tc.want) {
				t.Errorf("current context %q, %d clusters", config.CurrentContext, len(config.Clusters))
			}
			for name, want := range tc.want {
				if c := config.Clusters["garden-sky--sun-"+name]; c == nil || c.Server+" "+c.TLSServerName != want {
					t.Errorf("cluster of %s is %+v, want %q", name, c, want)
				}
			}
		})
	}
}
