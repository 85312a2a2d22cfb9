// Package imagestore keeps container images below one directory, for all nodes of a landscape.
//
// Content is stored by digest and shared by everybody. Names are not: an image that a cluster pulled is known to that
// cluster only, because another cluster may lack the credentials for it. Images that an operator loaded are known to all.
// The files of an image are unpacked once, into an EROFS file. It keeps owners and modes of all files, so that an ordinary
// user can unpack and run images with many users.
//
// Several processes may use a directory at the same time. The package knows nodes and clusters by a name only. It knows no
// runtime, and everyone may import it.
package imagestore
