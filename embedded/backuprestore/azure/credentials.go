package azure

import (
	"encoding/base64"
	"errors"
	"net/url"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/secretfiles"
)

const defaultDomain = "blob.core.windows.net"

// Credentials are the access to the containers of a storage account.
type Credentials struct {
	Account, Key string
	base         *url.URL // of the account
}

var errKey = errors.New("storageKey in the Secret of the store is not in base64")

// ReadCredentials reads the Secret of the store. Its values have the names that etcd-backup-restore has given them: storageAccount and
// storageKey, domain for other clouds than the public one, and emulatorEnabled for an emulator at domain, which has no TLS.
func ReadCredentials(from secretfiles.Source) (Credentials, error) {
	secret := secretfiles.Of(from)
	c := Credentials{Account: secret.Required("storageAccount"), Key: secret.Required("storageKey")}
	domain := secret.Optional("domain")
	if domain == "" {
		domain = defaultDomain
	}
	if err := secret.Err(); err != nil {
		return c, err
	}
	if _, err := base64.StdEncoding.DecodeString(c.Key); err != nil {
		return c, errKey
	}
	if strings.ContainsAny(c.Account, "/:@?#. ") {
		return c, errors.New("storageAccount in the Secret of the store is no name of an account")
	}
	text := "https://" + c.Account + "." + domain
	if secret.Optional("emulatorEnabled") == "true" {
		text = "http://" + domain + "/" + c.Account
	}
	var err error
	if c.base, err = url.Parse(text); err != nil || strings.ContainsAny(domain, "/@?# ") || c.base.Hostname() == "" {
		return c, errors.New("domain in the Secret of the store is not the name of a host")
	}
	return c, nil
}
