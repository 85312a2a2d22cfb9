// Package imagestore keeps container images below one directory, for all nodes of a landscape.
//
// All clusters share content, which is stored by digest. They do not share names: an image that a cluster pulled is known to that
// cluster only, because another cluster may lack the credentials for it. Images that an operator loaded are known to all clusters.
// The files of an image are unpacked once, into an EROFS file. It keeps owners and modes of all files, so that an ordinary user can
// unpack and run images with many users.
//
// Several processes may use a directory at the same time. The package knows clusters by name only. It knows no runtime, and everyone
// may import it.
package imagestore
