package flags

import "strings"

func (f Flags) listen(a *args) {
	a.text("bind-address", f.BindAddress)
	a.number("secure-port", f.Port)
	a.text("advertise-address", f.AdvertiseAddress)
}

func (f Flags) services(a *args) { a.text("service-cluster-ip-range", f.ServiceCIDR) }

func (f Flags) hostname(a *args) { a.text("external-hostname", f.ExternalHostname) }

func (f Flags) serving(a *args) {
	a.text("tls-cert-file", f.ServingCert)
	a.text("tls-private-key-file", f.ServingKey)
	a.each("tls-sni-cert-key", f.SNICerts)
}

func (f Flags) transport(a *args) {
	a.text("egress-selector-config-file", f.EgressSelectorConfig)
	a.text("tls-min-version", f.TLSMinVersion)
}

func (f Flags) kubelets(a *args) {
	a.text("kubelet-certificate-authority", f.KubeletCA)
	a.text("kubelet-client-certificate", f.KubeletClientCert)
	a.text("kubelet-client-key", f.KubeletClientKey)
	a.list("kubelet-preferred-address-types", f.KubeletAddressTypes)
}

func (f Flags) etcd(a *args) {
	a.list("etcd-servers", f.EtcdServers)
	if len(f.EtcdEventsServers) > 0 {
		a.text("etcd-servers-overrides", "/events#"+strings.Join(f.EtcdEventsServers, ";"))
	}
	a.text("etcd-prefix", f.EtcdPrefix)
	a.text("etcd-cafile", f.EtcdCA)
	a.text("etcd-certfile", f.EtcdCert)
	a.text("etcd-keyfile", f.EtcdKey)
	a.text("encryption-provider-config", f.EncryptionConfig)
	if f.EncryptionReload {
		a.text("encryption-provider-config-automatic-reload", "true")
	}
}

func (f Flags) aggregation(a *args) {
	a.text("endpoint-reconciler-type", f.EndpointReconciler)
	if f.RouteToEndpoints {
		a.text("enable-aggregator-routing", "true")
	}
}

func (f Flags) guard(a *args) {
	a.list(FlagGuardHosts, f.GuardHosts)
	a.list(FlagGuardAllow, f.GuardAllowed)
	a.text(FlagGuardNodes, f.GuardNodes)
	a.list(FlagGuardRefuse, f.GuardRefused)
	a.list(FlagGuardPrivate, f.GuardPrivate)
	a.list(FlagGuardSimulated, f.GuardSimulated)
}

func (f Flags) connections(a *args) {
	a.number("http2-max-streams-per-connection", f.HTTP2Streams)
	optional(a, "livez-grace-period", f.LivezGracePeriod)
}
