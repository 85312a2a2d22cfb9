// Package metricsserver serves the current CPU and memory usage of the nodes and pods of a cluster: the API
// metrics.k8s.io, which `kubectl top`, the horizontal and the vertical pod autoscaler use. It periodically requests the
// metrics of all kubelets and keeps their last two samples. It keeps no history.
package metricsserver
