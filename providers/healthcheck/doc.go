// Package healthcheck keeps a condition of extension objects true to what an extension has installed: it asks a check of the extension
// periodically, and soon again while the answer is bad. Gardener reads the conditions ControlPlaneHealthy, EveryNodeReady and
// SystemComponentsHealthy of extension objects into the conditions of their Shoots. It repairs nothing. Providers may import it.
package healthcheck
