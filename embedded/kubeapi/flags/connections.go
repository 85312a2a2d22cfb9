package flags

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

func (f Flags) aggregation(a *args) {
	a.text("endpoint-reconciler-type", f.EndpointReconciler)
	if f.RouteToEndpoints {
		a.text("enable-aggregator-routing", "true")
	}
}

func (f Flags) connections(a *args) {
	a.number("http2-max-streams-per-connection", f.HTTP2Streams)
	optional(a, "livez-grace-period", f.LivezGracePeriod)
}
