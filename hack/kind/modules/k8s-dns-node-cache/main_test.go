package main

import "testing"

func TestRender(t *testing.T) {
	const template = "forward . __PILLAR__CLUSTER__DNS__\nforward . __PILLAR__UPSTREAM__SERVERS__\n"
	got, err := render(template, "100.64.0.12")
	if want := "forward . 100.64.0.12\nforward . /etc/resolv.conf\n"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if _, err := render(template, ""); err == nil {
		t.Error("a Service that is not known is no error")
	}
	if got := hostVariable("kube-dns-upstream"); got != "KUBE_DNS_UPSTREAM_SERVICE_HOST" {
		t.Errorf("variable is %s", got)
	}
}
