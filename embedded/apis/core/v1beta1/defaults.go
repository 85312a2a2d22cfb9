package v1beta1

import (
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

// setDuration makes field point to a duration unless it points somewhere.
func setDuration(field **metav1.Duration, value time.Duration) {
	defaulting.Pointer(field, metav1.Duration{Duration: value})
}

// versionBefore says whether a version of Kubernetes is known and lower than 1.minor. Every object that is read asks
// this, so it leaves what comes after the first two numbers alone.
func versionBefore(version string, minor int) bool {
	major, rest, complete := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		rest = rest[:end]
	}
	m, err := strconv.ParseUint(major, 10, 31)
	n, err2 := strconv.ParseUint(rest, 10, 31)
	return complete && err == nil && err2 == nil && (m < 1 || m == 1 && int(n) < minor)
}
