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

func (f Flags) frontProxy(a *args) {
	if f.FrontProxyCA != "" {
		a.text("requestheader-client-ca-file", f.FrontProxyCA)
		a.list("requestheader-allowed-names", f.FrontProxyNames)
		a.text("requestheader-username-headers", "X-Remote-User")
		a.text("requestheader-group-headers", "X-Remote-Group")
		if !f.NoFrontProxyUIDs {
			a.text("requestheader-uid-headers", "X-Remote-Uid")
		}
		a.text("requestheader-extra-headers-prefix", "X-Remote-Extra-")
	}
	a.text("proxy-client-cert-file", f.FrontProxyCert)
	a.text("proxy-client-key-file", f.FrontProxyKey)
}

func (f Flags) issuers(a *args) {
	a.text("service-account-issuer", f.ServiceAccountIssuer)
	a.each("service-account-issuer", f.AcceptedIssuers)
}

func (f Flags) verificationKeys(a *args) { a.each("service-account-key-file", f.ServiceAccountKeys) }

func (f Flags) signingKey(a *args) {
	a.text("service-account-signing-key-file", f.ServiceAccountSigningKey)
}

func (f Flags) tokens(a *args) {
	a.text("service-account-jwks-uri", f.ServiceAccountJWKSURI)
	optional(a, "service-account-extend-token-expiration", f.ServiceAccountExtendTokenExpiration)
	optional(a, "service-account-max-token-expiration", f.ServiceAccountMaxTokenLife)
	a.list("api-audiences", f.APIAudiences)
}
