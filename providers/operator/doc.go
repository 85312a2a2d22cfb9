// Package operator is the process of an extension: a manager of the seed with the controllers and webhooks of the extension, its health, and the election of
// a leader. The extension brings one contract.Actuator for each kind that it serves. examples/extension is an extension on this package alone.
//
// The provider local is part of the landscape's process, which has a manager already. So it adds its controllers without this package, and only the pod
// that serves its webhooks for shoots is a process of this package.
package operator
