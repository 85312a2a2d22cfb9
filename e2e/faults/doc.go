// Package faults breaks a landscape while it works: it kills the daemon at random moments, kills servers of a shoot
// and makes many changes at once. Afterwards everything must be as before. Tests that mostly wait, for a
// process to count as hung or for a minute to end, run beside each other.
package faults
