// Package core validates objects of core.gardener.cloud. It looks at one object, or at its old and new form. Admission
// plugins validate what depends on other objects. There is one file per kind, with ValidateX for new objects,
// ValidateXUpdate for changes and, where a kind needs it, ValidateXStatusUpdate. All functions expect defaulted objects.
// The API server and tests of examples import the package.
package core
