package own

// gardenNamespace is where the Secrets of own seeds are: for kubeconfigs and for backups.
const gardenNamespace = "garden"

func secretName(seed string) string { return "seed-" + seed }

// backupSecretName is the name of the Secret of a seed's backups. It differs from that of the first seed and from the names of kubeconfigs, whatever
// the name of the seed is.
func backupSecretName(seed string) string { return "backup-seed-" + seed }
