// Package metricsserver tells how much CPU and memory the nodes and pods of a cluster use now: the API metrics.k8s.io, which
// `kubectl top`, the horizontal and the vertical pod autoscaler ask. It asks all kubelets now and then, keeps their last two
// answers and nothing of the past.
package metricsserver
