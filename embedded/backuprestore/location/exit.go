package location

// ExitEmpty is the exit code of the component that copies backups, if the source has no full snapshot. It is that of the binary for objects that do not exist.
const ExitEmpty = 6
