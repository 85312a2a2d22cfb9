// Package removetree removes directories that others have filled, however deep they are. It needs as many file descriptors for each depth, and
// follows no symbolic links.
package removetree
