package flags

func (f Flags) clients(a *args) {
	a.text("client-ca-file", f.ClientCA)
	a.text("token-auth-file", f.TokenAuthFile)
}

func (f Flags) authentication(a *args) {
	optional(a, "enable-bootstrap-token-auth", f.BootstrapTokens)
	if f.TokenWebhook != "" {
		a.text("authentication-token-webhook-config-file", f.TokenWebhook)
		a.text("authentication-token-webhook-cache-ttl", "0s")
	}
	if f.AuthenticationConfig != "" {
		a.text("authentication-config", f.AuthenticationConfig)
		return
	}
	optional(a, "anonymous-auth", f.AnonymousAuth)
	f.OIDC.add(a)
}

func (o OIDC) add(a *args) {
	a.text("oidc-issuer-url", o.IssuerURL)
	a.text("oidc-client-id", o.ClientID)
	a.text("oidc-ca-file", o.CA)
	a.text("oidc-username-claim", o.UsernameClaim)
	a.text("oidc-username-prefix", o.UsernamePrefix)
	a.text("oidc-groups-claim", o.GroupsClaim)
	a.text("oidc-groups-prefix", o.GroupsPrefix)
	a.list("oidc-signing-algs", o.SigningAlgorithms)
	a.each("oidc-required-claim", Pairs(o.RequiredClaims))
}
