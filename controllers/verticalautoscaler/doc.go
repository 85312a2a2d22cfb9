// Package verticalautoscaler runs the three parts of the vertical pod autoscaler as components: the recommender learns from
// the metrics of pods what they need, the updater has pods replaced or resized that have much less or more, and the admission
// controller gives new pods what is recommended.
//
// What they do is the public autoscaler's own; here is only how they are configured, started and watched. Each runs in a process
// of its own: the public code keeps its settings in globals and ends the process when it cannot go on. Nothing but the
// composition of the binary imports this package.
package verticalautoscaler
