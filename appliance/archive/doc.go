// Package archive writes and reads the file format of backups of a whole landscape: a tar, compressed with zstd, that begins with a header
// and ends with a manifest of everything in between. It knows nothing about landscapes, and trusts nothing that it reads.
package archive
