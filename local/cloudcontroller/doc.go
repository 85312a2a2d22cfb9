// Package cloudcontroller is what the provider's cloud does for a shoot: load balancers get addresses, claims get volumes, and nodes go whose
// machine is gone. The ControlPlane of a shoot deploys it as the component cloud-controller-manager. On embedded nodes the component is a task of the
// landscape's process, which serves all shoots. So it keeps nothing of what users write in their shoots, and acts with the credentials of its pod.
package cloudcontroller
