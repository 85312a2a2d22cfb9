package paths

// Shared is the part of a landscape's state directory that the clusters of its further seeds use, too. They have state directories of
// their own.
type Shared struct{ of Paths }

// Root is the state directory of the landscape.
func (s Shared) Root() string { return s.of.root }

// Sandboxes is the directory of the programs that run sandboxes, and of the images of their containers.
func (s Shared) Sandboxes() string { return s.of.join("sandboxes") }

// Volumes is where the local provider keeps persistent volumes of shoots, in a directory for each shoot: a shoot finds them on another seed.
// No namespace of a seed has such a name.
func (s Shared) Volumes() string { return s.of.join("volumes", ".shoots") }

// Bundle is the note which images the bundle of the configuration had.
func (s Shared) Bundle() string { return s.of.join("bundle.json") }

// Shared is what all seeds of the landscape share.
func (p Paths) Shared() Shared { return Shared{p} }
