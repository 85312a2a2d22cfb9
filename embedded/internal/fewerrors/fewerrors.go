// Package fewerrors bounds how many mistakes of an object are told. Kubernetes copies the text of all errors once for each error, so an
// object with thousands of mistakes would take seconds and gigabytes to be refused.
package fewerrors

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// most is how many errors are told. Nobody reads more at once.
const most = 100

// Of returns the first errors, and one that says how many are left out.
func Of(errs field.ErrorList) field.ErrorList {
	if len(errs) <= most {
		return errs
	}
	next := errs[most]
	return append(errs[:most:most], field.Forbidden(field.NewPath(next.Field), fmt.Sprintf("this and further mistakes, %d in all, are not listed", len(errs)-most)))
}
