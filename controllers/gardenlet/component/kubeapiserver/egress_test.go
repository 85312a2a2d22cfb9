package kubeapiserver

import (
	"slices"
	"testing"

	apiserverv1beta1 "k8s.io/apiserver/pkg/apis/apiserver/v1beta1"
	"sigs.k8s.io/yaml"
)

func TestEgress(t *testing.T) {
	const flag = "--egress-selector-config-file=etc/kubernetes/egress/" + keyEgress
	t.Run("KON-1 KON-2 with a tunnel the cluster's traffic goes through it and all other directly", func(t *testing.T) {
		v := values(nil)
		v.Egress = &Egress{Service: "proxy-server", Port: 8131, CASecret: "ca-vpn", ClientSecret: "http-proxy"}
		args, files, _ := deployed(t, v)
		if !slices.Contains(args, flag) {
			t.Errorf("no %s in %q", flag, args)
		}
		document := apiserverv1beta1.EgressSelectorConfiguration{}
		if err := yaml.UnmarshalStrict([]byte(files[keyEgress]), &document); err != nil {
			t.Fatal(err)
		}
		got := map[string]apiserverv1beta1.Connection{}
		for _, one := range document.EgressSelections {
			got[one.Name] = one.Connection
		}
		cluster := got["cluster"]
		if cluster.ProxyProtocol != apiserverv1beta1.ProtocolHTTPConnect || cluster.Transport == nil || cluster.Transport.TCP == nil || cluster.Transport.TCP.URL != "https://proxy-server:8131" || cluster.Transport.TCP.TLSConfig == nil {
			t.Errorf("the cluster is reached by %+v", cluster)
		}
		if got["controlplane"].ProxyProtocol != apiserverv1beta1.ProtocolDirect {
			t.Errorf("the control plane is reached by %+v", got["controlplane"])
		}
		if etcd, listed := got["etcd"]; listed { // its connections are not guarded
			t.Errorf("etcd is reached by %+v", etcd)
		}
	})
	t.Run("KON-1 without a tunnel there is no such flag", func(t *testing.T) {
		if args, _, _ := deployed(t, values(nil)); slices.Contains(args, flag) {
			t.Errorf("args are %q", args)
		}
	})
}
