package s3

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Credentials are the access to an object store.
type Credentials struct {
	AccessKeyID, SecretAccessKey, Region string
	// Endpoint is the URL of the object store; that of AWS in the region if it is empty.
	Endpoint string
	// PathStyle puts the name of the bucket into the path instead of the name of the host.
	PathStyle bool
	// CA is the PEM of the authorities of the object store; those of the system if it is empty.
	CA []byte
}

// ReadCredentials reads the files of a mounted Secret. They have the names that etcd-backup-restore has given them.
func ReadCredentials(dir string) (Credentials, error) {
	var missing []string
	read := func(name string, required bool) string {
		content, err := os.ReadFile(filepath.Join(dir, name))
		text := strings.TrimSpace(string(content))
		if required && (err != nil || text == "") {
			missing = append(missing, name)
		}
		return text
	}
	c := Credentials{
		AccessKeyID: read("accessKeyID", true), SecretAccessKey: read("secretAccessKey", true), Region: read("region", true),
		Endpoint: read("endpoint", false), PathStyle: read("s3ForcePathStyle", false) == "true", CA: []byte(read("trustedCaCert", false)),
	}
	if len(missing) > 0 {
		return c, fmt.Errorf("the Secret of the store lacks %s", strings.Join(missing, ", "))
	}
	_, err := c.base()
	return c, err
}

// base is the URL of the object store.
func (c Credentials) base() (*url.URL, error) {
	text := c.Endpoint
	if text == "" {
		text = "https://s3." + c.Region + ".amazonaws.com"
	}
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	base, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("endpoint of the store: %w", err)
	}
	if base.Scheme != "https" && base.Scheme != "http" || base.Host == "" || base.User != nil || strings.Trim(base.Path, "/") != "" || base.RawQuery != "" {
		return nil, errors.New("endpoint of the store: want https://HOST or http://HOST, without path, user and parameters")
	}
	return base, nil
}
