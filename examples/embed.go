// Package examples holds what a user applies, in number order. The files are for kubectl; the package only gives one
// of them to the command line.
package examples

import _ "embed"

// Shoot is the first cluster to order.
//
//go:embed 90-shoot.yaml
var Shoot []byte
