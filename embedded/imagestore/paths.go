package imagestore

// Names below the directory of a store.
const (
	blobs = "blobs" // content by its SHA-256, as in an OCI image layout
	names = "names" // one directory per cluster, one file per reference
	roots = "roots" // one EROFS file per image, named by the image's ID

	lockFile      = "lock"
	rootExtension = ".erofs"

	// everyone is the directory of names that operators loaded. No cluster has this name.
	everyone = "_"
)
