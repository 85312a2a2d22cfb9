// Package verticalautoscaler runs the three parts of the vertical pod autoscaler as components. The recommender
// computes recommendations from the metrics of pods. The updater replaces or resizes pods whose requests differ much
// from the recommendation. The admission controller sets the recommendations on new pods.
//
// The logic is that of the public autoscaler; this package only configures, starts and monitors it. Each part runs in
// its own process, since the public code keeps its settings in globals and ends the process on fatal errors. Only the
// composition of the binary imports this package.
package verticalautoscaler
