// Package defaulting sets optional fields of API types and configurations.
package defaulting

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pointer makes field point to value if it is nil.
func Pointer[T any](field **T, value T) {
	if *field == nil {
		set := value // value itself would be moved to the heap by each call, also by those that set nothing
		*field = &set
	}
}

// Duration makes field point to value if it is nil.
func Duration(field **metav1.Duration, value time.Duration) {
	Pointer(field, metav1.Duration{Duration: value})
}
