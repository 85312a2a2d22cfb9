// Package sealed encrypts archives in the format of age, and decrypts them. The tool age reads what it writes, and the other way round. It knows
// nothing about what is in an archive.
package sealed
