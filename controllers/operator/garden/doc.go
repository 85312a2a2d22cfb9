// Package garden reconciles Gardens: it waits until the components of a Garden serve, in their order, deploys the access to the
// virtual garden, and writes the last operation into the status. The host runs the components; this package asks them and does
// not start or stop them. Conditions are written by package care.
package garden
