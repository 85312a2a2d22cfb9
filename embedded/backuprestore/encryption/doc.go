// Package encryption encrypts snapshots in the format of age, after they are compressed. The tool age decrypts them, too.
//
// The keys are in the Secret of the store under the name Key: secret keys of age, one a line. The first one encrypts and all decrypt, so a key is
// replaced by writing another one before it. The line "none" before them ends the encryption, and all decrypt. A snapshot names the public key for which it is encrypted, so that a missing key can be named. Encryption does
// not tell who made a snapshot: whoever may write to the bucket may also store one that is not encrypted.
package encryption
