// Package proxy is a registry that can only be pulled from: what it does not have it fetches from one other registry and
// keeps, for as long as it is told. What it has it serves without asking, but tags may move: those it asks for each time, and
// serves the last answer while the other registry cannot be reached.
//
// It knows nothing about who uses it or what it runs in.
package proxy
