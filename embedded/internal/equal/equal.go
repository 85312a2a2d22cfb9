// Package equal compares values of API types many times as fast as reflection does: it finds out once for each Go type how
// it is compared. API servers compare the old and the new object several times for each write.
package equal

import (
	"reflect"
	"sync"
	"unsafe"
)

// Semantic tells whether clients see the same in both: unset and empty lists and maps are the same, so are quantities of one
// amount and times of one instant. It decides as apiequality.Semantic does.
func Semantic[T any](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return semantic.of(reflect.TypeFor[T]())(unsafe.Pointer(a), unsafe.Pointer(b))
}

// Identical tells whether both, which have addresses, are written in the same way: unset and empty lists are different, so are quantities written
// with different units. Values that only their kind can compare may be taken for different although they are the same.
func Identical(a, b reflect.Value) bool {
	return identical.of(a.Type())(a.Addr().UnsafePointer(), b.Addr().UnsafePointer())
}

// equals compares what two pointers, which are not nil, point to.
type equals func(a, b unsafe.Pointer) bool

// comparison is a way to compare. Its functions are kept for each type, for types do not change.
type comparison struct {
	semantic bool
	known    sync.Map // reflect.Type: equals
}

var semantic, identical = comparison{semantic: true}, comparison{}

func (c *comparison) of(t reflect.Type) equals {
	if known, found := c.known.Load(t); found {
		return known.(equals)
	}
	made := make(plans)
	compare := c.plan(t, made)
	for t, plan := range made { // all of them are complete now
		c.known.Store(t, *plan)
	}
	return compare
}
