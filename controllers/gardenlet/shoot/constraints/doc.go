// Package constraints finds what a shoot keeps from being hibernated or maintained: webhooks and conversion webhooks that
// may block system components, and authorities that end soon. It decides about objects that others have read.
package constraints
