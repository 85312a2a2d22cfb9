// Package networkcondition has the conditions by which a Node tells how the network of its pods is. The node tries it by itself: no daemon of the
// cluster makes this network. They are no reason to replace a machine. Nodes that simulate containers have none of these conditions.
package networkcondition

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// The types. A condition is Unknown if there was nothing to try.
const (
	// Serves is True if other nodes reach the pods of this one.
	Serves corev1.NodeConditionType = "PodNetworkServes"
	// NameServer is True if the name server of the cluster answers pods.
	NameServer corev1.NodeConditionType = "NameServerAnswers"
	// Pods is True if pods reach other pods, on this node and on others.
	Pods corev1.NodeConditionType = "PodsReachable"
	// Services is True if pods reach Services.
	Services corev1.NodeConditionType = "ServicesReachable"
)

// Heartbeat is the age at which a node writes unchanged conditions again. Stale is the age of conditions that nobody believes.
const (
	Heartbeat = time.Minute
	Stale     = 5 * time.Minute
)
