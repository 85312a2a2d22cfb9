// Package reconcile is what is the same for every provider and every extension kind: which objects to act on, the life
// of the operation annotation and of the finalizer, lastOperation, lastError, observedGeneration, and when to come back.
// What is done to an object is up to the contract.Actuator it is given. It knows no provider.
//
//	accept: lastOperation Processing ─► finalizer added, annotation reconcile removed
//	act:    the actuator's method
//	finish: status stored ─► after Delete and Migrate the finalizer, after Migrate and Restore the annotation is removed
//
// The order makes every point a safe one to be killed at: whoever comes next finds the annotation or an unfinished
// lastOperation, and does it again.
package reconcile
