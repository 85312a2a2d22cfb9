package constraints

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
)

// soon is how long before its end an authority has to be rotated.
const soon = 365 * 24 * time.Hour

// Authorities decides whether certificate authorities of the shoot end soon. The finding is True where none does.
func Authorities(secrets []corev1.Secret, now time.Time) conditions.Finding {
	var expiring []string
	for _, secret := range secrets {
		name := secret.Labels[secretsmanager.LabelName]
		if name != "ca" && !strings.HasPrefix(name, "ca-") {
			continue
		}
		seconds, err := strconv.ParseInt(secret.Labels[secretsmanager.LabelValidUntil], 10, 64)
		if err != nil { // a bundle
			continue
		}
		if until := time.Unix(seconds, 0).UTC(); until.Sub(now) <= soon {
			expiring = append(expiring, fmt.Sprintf("%q (until %s)", name, until.Format(time.DateOnly)))
		}
	}
	if len(expiring) == 0 {
		return conditions.True("NoExpiringCACertificates", "All CA certificates are still valid for at least one year.")
	}
	slices.Sort(expiring)
	return conditions.False("ExpiringCACertificates", "Some CA certificates expire in less than one year, rotate them: "+strings.Join(expiring, ", "))
}
