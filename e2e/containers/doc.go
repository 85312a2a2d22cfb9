// Package containers tests containers of shoots that really run, in sandboxes on embedded nodes.
package containers
