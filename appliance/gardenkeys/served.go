package gardenkeys

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	handshakeTimeout  = 5 * time.Second
	handshakeInterval = 50 * time.Millisecond
)

// servedBy waits until a server has a certificate of this authority. It has read its files and takes a moment to use them.
func servedBy(ctx context.Context, address, name string, issuer *x509.Certificate) error {
	roots := x509.NewCertPool()
	roots.AddCert(issuer)
	last := errors.New("it was not asked")
	err := wait.PollUntilContextCancel(ctx, handshakeInterval, true, func(ctx context.Context) (bool, error) {
		last = handshake(ctx, address, &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, ServerName: name})
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("the server %s at %s has no certificate of the new authority yet: %w", name, address, errors.Join(last, err))
	}
	return nil
}

func handshake(ctx context.Context, address string, config *tls.Config) error {
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	conn, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}
