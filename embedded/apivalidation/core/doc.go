// Package core validates objects of core.gardener.cloud as far as one object, or its old and new form, can tell. What
// depends on other objects is the business of admission plugins. One file per kind, with ValidateX for new objects,
// ValidateXUpdate for changes and ValidateXStatusUpdate where a kind has a status of its own to protect. All of them
// expect defaulted objects. The API server and tests of examples import it.
package core
