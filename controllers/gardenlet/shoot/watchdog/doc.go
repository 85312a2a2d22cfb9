// Package watchdog keeps components of a control plane from doing harm while something that they depend on fails. The prober stops
// controllers that would act on nodes whose kubelets do not reach the API server: they would replace healthy machines. The weeder
// restarts pods that wait after crashes for something that is back.
//
// It changes only replicas and pods in the namespaces of shoots in the seed. It does not repair what has failed.
package watchdog
