// Package secretsmanager generates, keeps, renews and removes the secrets of one namespace according to their
// configuration.
//
// A Config describes a secret. As long as the configuration (and the CA that signs it) is the same, Generate returns
// the same Secret object, which it finds by its labels. Another configuration or a rotation leads to an object with a
// new name. Objects are therefore immutable, and every object that refers to one notices the change. After a run,
// Cleanup removes the secrets that were not requested.
//
// The first secret of some configurations takes the data of an existing Secret of the namespace that has the label LabelUseDataForName. Data that
// cannot be what the configuration describes are refused.
//
// One Manager serves one run. New lists the namespace once, and all later calls use that list, except for creating
// objects. The package knows nothing about Shoots; controllers of shoots, gardens and seeds import it.
package secretsmanager

// Labels of the Secrets.
const (
	LabelManagedBy              = "managed-by"
	LabelManagerIdentity        = "manager-identity"
	LabelName                   = "name"
	LabelBundleFor              = "bundle-for"
	LabelChecksumConfig         = "checksum-of-config"
	LabelChecksumSigningCA      = "checksum-of-signing-ca"
	LabelPersist                = "persist"
	LabelLastRotationInitiation = "last-rotation-initiation-time" // Unix seconds, empty without a rotation
	LabelIssuedAt               = "issued-at-time"                // Unix seconds
	LabelValidUntil             = "valid-until-time"              // Unix seconds

	ManagedBy = "secrets-manager"
)

// Data keys of the Secrets.
const (
	KeyCACert         = "ca.crt"
	KeyCAKey          = "ca.key"
	KeyCert           = "tls.crt"
	KeyPrivateKey     = "tls.key"
	KeyBundle         = "bundle.crt"
	KeyRSAPrivate     = "id_rsa"
	KeyRSAPublic      = "id_rsa.pub"
	KeyUsername       = "username"
	KeyPassword       = "password"
	KeyAuth           = "auth"
	KeyStaticTokens   = "static_tokens.csv"
	KeyEncryptionKey  = "key"
	KeyEncryptionData = "secret"
	KeyKubeconfig     = "kubeconfig"
)
