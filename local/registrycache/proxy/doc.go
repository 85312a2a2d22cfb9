// Package proxy is a registry that only supports pulling. It fetches content that it lacks from one other registry
// and keeps it for a configured time. It serves cached content without asking the other registry. Tags may move, so
// it asks for them each time, and uses the last answer while the other registry cannot be reached.
//
// It knows nothing about its clients or where it runs.
package proxy
