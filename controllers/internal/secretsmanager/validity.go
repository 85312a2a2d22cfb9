package secretsmanager

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// validity is that of a signed certificate, and that of an authority if it is to be renewed automatically, too.
func validity(data map[string][]byte, authorities bool) (issued, until time.Time, ok bool) {
	raw, found := data[KeyCert]
	if !found && authorities {
		raw, found = data[KeyCACert]
	}
	if !found {
		return time.Time{}, time.Time{}, false
	}
	cert, err := certificate.Parse(raw)
	if err != nil {
		return time.Time{}, time.Time{}, false
	}
	return cert.NotBefore, cert.NotAfter, true
}

// startsLater returns true if the certificate or CA in the secret is not valid yet.
func startsLater(secret *corev1.Secret, now time.Time) bool {
	for _, key := range []string{KeyCert, KeyCACert} {
		if raw, ok := secret.Data[key]; ok {
			cert, err := certificate.Parse(raw)
			return err == nil && now.Before(cert.NotBefore)
		}
	}
	return false
}

// initiated returns the time of the secret's last rotation. It is zero for a time to come, by which no later rotation would
// be newer.
func initiated(secret *corev1.Secret, now time.Time) time.Time {
	at := unixLabel(secret, LabelLastRotationInitiation)
	if at.After(now.Add(clockSkew)) {
		return time.Time{}
	}
	return at
}
