package flags

import "time"

// Tokens are those of service accounts.
type Tokens struct {
	Issuer           string
	AcceptedIssuers  []string // further issuers whose tokens are valid
	Keys             []string // public or private keys that verify tokens
	SigningKey       string
	Audiences        []string
	JWKSURI          string
	ExtendExpiration *bool
	MaxLife          *time.Duration
}

func (t Tokens) issuers(a *args) {
	a.text("service-account-issuer", t.Issuer)
	a.each("service-account-issuer", t.AcceptedIssuers)
}

func (t Tokens) verificationKeys(a *args) { a.each("service-account-key-file", t.Keys) }

func (t Tokens) signingKey(a *args) {
	a.text("service-account-signing-key-file", t.SigningKey)
}

func (t Tokens) validity(a *args) {
	a.text("service-account-jwks-uri", t.JWKSURI)
	optional(a, "service-account-extend-token-expiration", t.ExtendExpiration)
	optional(a, "service-account-max-token-expiration", t.MaxLife)
	a.list("api-audiences", t.Audiences)
}
