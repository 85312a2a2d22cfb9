package flags

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
)

func TestArgsStayByteForByte(t *testing.T) {
	got := strings.Join(process().Args(), "\n") + "\n"
	const file = "testdata/process.txt"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("args (-want +got):\n%s", diff)
	}
}

// process sets each field that a server in the process may use.
func process() Flags {
	return Flags{
		BindAddress: "127.0.0.1", Port: 6443, AdvertiseAddress: "127.0.0.2",
		Etcd: Etcd{
			Servers: []string{"https://a", "https://b"}, EventsServers: []string{"https://c", "https://d"}, Prefix: "/registry",
			CA: "etcd-ca", Cert: "etcd-cert", Key: "etcd-key", EncryptionConfig: "encryption",
		},
		ServingCert: "cert", ServingKey: "key", SNICerts: []string{"one,two", "three,four:host"}, ClientCA: "client-ca",
		FrontProxy: FrontProxy{CA: "front-ca", Names: []string{"x", "y"}, Cert: "front-cert", Key: "front-key"},
		Kubelets:   Kubelets{CA: "kubelet-ca", Cert: "kubelet-cert", Key: "kubelet-key", AddressTypes: []string{"InternalIP", "Hostname"}},
		Tokens: Tokens{
			Issuer: "https://issuer", Keys: []string{"sa1", "sa2"}, SigningKey: "sa", Audiences: []string{"p", "q"},
			JWKSURI: "https://jwks", MaxLife: ptr.To(time.Hour),
		},
		ServiceCIDR: "100.64.0.0/16", AuthorizationMode: []string{"Node", "RBAC", "Webhook"}, TokenAuthFile: "tokens",
		EnableAdmission: []string{"A", "B"}, DisableAdmission: []string{"C"}, AdmissionConfig: "admission",
		FeatureGates: map[string]bool{"G": true, "F": false}, RuntimeConfig: map[string]bool{"apps/v1": false, "a/v1": true}, EmulatedVersion: "1.34",
		Audit:       Audit{Policy: "policy", Log: "-", Webhook: "webhook"},
		MaxRequests: ptr.To[int32](7), MaxMutatingRequests: ptr.To[int32](5), EndpointReconciler: "none", RouteToEndpoints: true, Extra: []string{"--v=2", "--x"},
	}
}
