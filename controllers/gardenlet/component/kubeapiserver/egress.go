package kubeapiserver

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiserverv1beta1 "k8s.io/apiserver/pkg/apis/apiserver/v1beta1"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
)

// keyEgress is the file name of the document.
const keyEgress = "egress-selector-configuration.yaml"

// egressConfiguration sends all traffic to the network of the shoot through the tunnel, if there is one, and all other traffic
// directly. The component guards direct connections. It does not guard those to etcd, which are not listed.
func egressConfiguration(egress *Egress) ([]byte, error) {
	direct := apiserverv1beta1.Connection{ProxyProtocol: apiserverv1beta1.ProtocolDirect}
	cluster := direct
	if egress != nil {
		cluster = apiserverv1beta1.Connection{
			ProxyProtocol: apiserverv1beta1.ProtocolHTTPConnect,
			Transport: &apiserverv1beta1.Transport{TCP: &apiserverv1beta1.TCPTransport{
				URL: egress.URL(),
				TLSConfig: &apiserverv1beta1.TLSConfig{
					CABundle:   pod.File(dirEgressCA, secretsmanager.KeyBundle),
					ClientCert: pod.File(dirEgressClient, secretsmanager.KeyCert),
					ClientKey:  pod.File(dirEgressClient, secretsmanager.KeyPrivateKey),
				},
			}},
		}
	}
	return yaml.Marshal(apiserverv1beta1.EgressSelectorConfiguration{
		TypeMeta:         metav1.TypeMeta{APIVersion: apiserverv1beta1.SchemeGroupVersion.String(), Kind: "EgressSelectorConfiguration"},
		EgressSelections: []apiserverv1beta1.EgressSelection{{Name: "cluster", Connection: cluster}, {Name: "controlplane", Connection: direct}},
	})
}
