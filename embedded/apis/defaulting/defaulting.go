// Package defaulting sets optional fields of API types and configurations.
package defaulting

// Pointer makes field point to value if it is nil.
func Pointer[T any](field **T, value T) {
	if *field == nil {
		set := value // value itself would be moved to the heap by each call, also by those that set nothing
		*field = &set
	}
}
