// Package examples contains the manifests that users apply in the order of their numbers. The files are for kubectl; the
// package only embeds some of them for the command line.
package examples

import _ "embed"

// Shoot is the manifest of the first cluster.
//
//go:embed 90-shoot.yaml
var Shoot []byte

// Landscape is a configuration of a landscape with all its settings.
//
//go:embed landscape/landscape.yaml
var Landscape []byte
