package flags

import "strings"

// Etcd is where a server stores objects, and how it encrypts them.
type Etcd struct {
	Servers       []string
	EventsServers []string // a separate etcd for events
	Prefix        string
	CA            string
	Cert, Key     string // client certificate

	EncryptionConfig string
	// EncryptionReload has the configuration read again when it changes.
	EncryptionReload bool
}

func (e Etcd) add(a *args) {
	a.list("etcd-servers", e.Servers)
	if len(e.EventsServers) > 0 {
		a.text("etcd-servers-overrides", "/events#"+strings.Join(e.EventsServers, ";"))
	}
	a.text("etcd-prefix", e.Prefix)
	a.text("etcd-cafile", e.CA)
	a.text("etcd-certfile", e.Cert)
	a.text("etcd-keyfile", e.Key)
	a.text("encryption-provider-config", e.EncryptionConfig)
	if e.EncryptionReload {
		a.text("encryption-provider-config-automatic-reload", "true")
	}
}
