// Package strfmt takes the place of types of OpenAPI, which bring a client of a database.
package strfmt

import "time"

// DateTime is a time.
type DateTime time.Time

// MarshalJSON is that of a time.
func (d DateTime) MarshalJSON() ([]byte, error) { return time.Time(d).MarshalJSON() }

// URI is an address.
type URI string
