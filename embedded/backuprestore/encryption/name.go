package encryption

import "filippo.io/age"

// stanza is the type of the entry in the header of age that names the public key. age's own entries do not, and readers skip entries of unknown types.
const stanza = "gardener.cloud/key"

// named adds the entry when a snapshot is encrypted.
type named struct{ public string }

// Wrap implements age.Recipient.
func (n named) Wrap([]byte) ([]*age.Stanza, error) {
	return []*age.Stanza{{Type: stanza, Args: []string{n.public}}}, nil
}

// name reads the entry. It never decrypts.
type name struct{ public string }

// Unwrap implements age.Identity.
func (n *name) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	for _, s := range stanzas {
		if s.Type == stanza && len(s.Args) == 1 {
			n.public = s.Args[0]
		}
	}
	return nil, age.ErrIncorrectIdentity
}
