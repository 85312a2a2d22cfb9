// Package reexec starts the program of the process again in its place: with the same arguments, environment and process ID.
package reexec
