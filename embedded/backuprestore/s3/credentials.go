package s3

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/secretfiles"
)

// Access is how requests reach an object store.
type Access struct {
	// Base is the URL of the object store, without a path.
	Base *url.URL
	// PathStyle puts the name of the bucket into the path instead of the name of the host.
	PathStyle bool
	// CA is the PEM of the authorities of the object store; those of the system if it is empty.
	CA []byte
	// Authorize adds the headers that prove who asks, to a request with this body. A request is not tried again after an error
	// whose method Final returns true.
	Authorize func(request *http.Request, body []byte) error
}

// Credentials are the access to an object store with signatures of S3.
type Credentials struct {
	AccessKeyID, SecretAccessKey, Region string
	// Endpoint is the URL of the object store; that of AWS in the region if it is empty.
	Endpoint string
	// PathStyle puts the name of the bucket into the path instead of the name of the host.
	PathStyle bool
	// CA is the PEM of the authorities of the object store; those of the system if it is empty.
	CA []byte
}

// ReadCredentials reads the Secret of the store. Its values have the names that etcd-backup-restore has given them.
func ReadCredentials(from secretfiles.Source) (Credentials, error) {
	secret := secretfiles.Of(from)
	c := Credentials{
		AccessKeyID: secret.Required("accessKeyID"), SecretAccessKey: secret.Required("secretAccessKey"), Region: secret.Required("region"),
		Endpoint: secret.Optional("endpoint"), PathStyle: secret.Optional("s3ForcePathStyle") == "true", CA: []byte(secret.Optional("trustedCaCert")),
	}
	if err := secret.Err(); err != nil {
		return c, err
	}
	_, err := c.base()
	return c, err
}

func (c Credentials) access() (Access, error) {
	base, err := c.base()
	return Access{Base: base, PathStyle: c.PathStyle, CA: c.CA, Authorize: func(request *http.Request, body []byte) error {
		sign(request, c, sum(body), time.Now())
		return nil
	}}, err
}

// base is the URL of the object store.
func (c Credentials) base() (*url.URL, error) {
	text := c.Endpoint
	if text == "" {
		text = "https://s3." + c.Region + ".amazonaws.com"
	}
	return ParseEndpoint(text)
}

// ParseEndpoint reads the URL of an object store. It has TLS unless it says otherwise. The error does not repeat it, since it may have
// a password.
func ParseEndpoint(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	base, err := url.Parse(text)
	if err != nil || base.Scheme != "https" && base.Scheme != "http" || base.Host == "" || base.User != nil || strings.Trim(base.Path, "/") != "" || base.RawQuery != "" {
		return nil, errors.New("endpoint of the store: want https://HOST or http://HOST, without path, user and parameters")
	}
	return base, nil
}
