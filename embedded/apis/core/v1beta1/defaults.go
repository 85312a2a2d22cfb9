package v1beta1

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
)

// setDefault makes field point to value unless it points somewhere.
func setDefault[T any](field **T, value T) {
	if *field == nil {
		set := value // value itself would be moved to the heap by each call, also by those that set nothing
		*field = &set
	}
}

// setDuration makes field point to a duration unless it points somewhere.
func setDuration(field **metav1.Duration, value time.Duration) {
	setDefault(field, metav1.Duration{Duration: value})
}

// versionBefore tells whether a version is known and lower than the limit, a version of two numbers.
func versionBefore(have, limit string) bool {
	parsed, err := version.ParseGeneric(have)
	return err == nil && parsed.LessThan(version.MustParseGeneric(limit))
}
