// Package bundle reads and writes bundles: one file with everything for a site without internet. A bundle is an archive of tar. It begins
// with the list of its files, with their digests, and the signature of the list. The rest is an OCI image layout, which other programs
// can read, too. Every byte is either listed or follows from the list, so that no change remains unseen, and the same content always gives the
// same bytes.
//
// Package collect gets the content of a bundle.
package bundle
