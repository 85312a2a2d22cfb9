// Package reconcile is the generic reconciler of extension objects, for every provider and every extension kind. It decides which
// objects to act on and when to reconcile them again. It maintains the operation annotation, the finalizer, lastOperation, lastError
// and observedGeneration. The contract.Actuator decides what is done to an object. The package knows no provider.
//
//	accept: lastOperation Processing ─► finalizer added, annotation reconcile removed
//	act:    the actuator's method
//	finish: status stored ─► after Delete and Migrate the finalizer, after Migrate and Restore the annotation is removed
//
// With this order the process may be killed at any point: the next run finds the annotation or an unfinished lastOperation, and
// repeats the operation.
package reconcile
