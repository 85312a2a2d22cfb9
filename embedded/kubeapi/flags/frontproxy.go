package flags

// FrontProxy are whose word a server takes for the identity of users, and how it shows its own to aggregated servers.
type FrontProxy struct {
	CA        string   // requests with identity headers must use a client certificate of this CA
	Names     []string // common names allowed there; none means all
	NoUIDs    bool     // the front proxy sends no header with the UID of the user
	Cert, Key string   // client certificate of this server for aggregated servers
}

func (p FrontProxy) add(a *args) {
	if p.CA != "" {
		a.text("requestheader-client-ca-file", p.CA)
		a.list("requestheader-allowed-names", p.Names)
		a.text("requestheader-username-headers", "X-Remote-User")
		a.text("requestheader-group-headers", "X-Remote-Group")
		if !p.NoUIDs {
			a.text("requestheader-uid-headers", "X-Remote-Uid")
		}
		a.text("requestheader-extra-headers-prefix", "X-Remote-Extra-")
	}
	a.text("proxy-client-cert-file", p.Cert)
	a.text("proxy-client-key-file", p.Key)
}
