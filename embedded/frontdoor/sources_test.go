package frontdoor

import "testing"

func TestServices(t *testing.T) {
	service := Destination{Host: "kube-apiserver.shoot--p--s.svc.cluster.local", Port: 443}
	for name, want := range map[string]Destination{
		"kube-apiserver.shoot--p--s.svc":               service,
		"kube-apiserver.shoot--p--s.svc.cluster.local": service,
		"kube-apiserver.garden.svc":                    {},
		"etcd-main.shoot--p--s.svc":                    {},
		"kube-apiserver.shoot--p--s.svc.example.org":   {},
		"kube-apiserver.shoot--p--s":                   {},
	} {
		got, ok := Services{}.Route(name)
		if got != want || ok != (want != Destination{}) {
			t.Errorf("SNI-4 route of %s is %v, %v; want %v", name, got, ok, want)
		}
	}
}
