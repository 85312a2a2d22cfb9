package legacy

import (
	"crypto/sha1" // names of the time were made with it
	"encoding/hex"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// backupFields makes an entry in the bucket of the seed, and the bucket.
func (c *converter) backupFields(n node, out document) []document {
	spec := n.part("spec")
	seedName, uid := spec.text("seed"), spec.text("shootUID")
	out["kind"] = "BackupEntry"
	meta := out["metadata"].(document)
	name, _ := meta["name"].(string)
	if meta["name"] = entryName(name, uid); meta["name"] == "" {
		spec.run.errs = append(spec.run.errs, field.Invalid(field.NewPath("metadata", "name"), name,
			fmt.Sprintf("does not end with the hash of the shoot's UID %q, so that the shoot's namespace in the seed is not known", uid)))
	}
	bucket, reason := c.bucket(seedName)
	if reason != "" {
		spec.run.errs = append(spec.run.errs, field.Invalid(spec.at("seed"), seedName, reason))
		return nil
	}
	bucketName := bucket["metadata"].(document)["name"]
	out["spec"] = document{"bucketName": bucketName, "seedName": seedName}
	if c.made[seedName] {
		return nil
	}
	c.made[seedName] = true
	return []document{bucket}
}

// entryName is the namespace of the shoot in its seed with its UID. Old names have five digits of the UID's hash instead.
func entryName(name, uid string) string {
	if uid == "" || strings.HasSuffix(name, "--"+uid) {
		return name
	}
	sum := sha1.Sum([]byte(uid))
	namespace, found := strings.CutSuffix(name, "-"+hex.EncodeToString(sum[:])[:5])
	if !found {
		return ""
	}
	return namespace + "--" + uid
}

// bucket is that of a seed among the manifests, named as the gardenlet does where the UID of the seed is known.
func (c *converter) bucket(seedName string) (bucket document, reason string) {
	seed := c.seeds[seedName]
	if seed == nil {
		return nil, "a Seed of this name is needed among the manifests, since it tells where backups are"
	}
	meta, _ := seed["metadata"].(document)
	spec, _ := seed["spec"].(document)
	cloud, _ := spec["cloud"].(document)
	backup, _ := spec["backup"].(document)
	if backup == nil {
		return nil, "the Seed of this name does not tell where backups are: spec.backup is needed"
	}
	name, _ := meta["uid"].(string)
	if name == "" {
		name = seedName
	}
	region := backup["region"]
	if region == nil {
		region = cloud["region"]
	}
	return document{
		"apiVersion": target, "kind": "BackupBucket", "metadata": document{"name": name},
		"spec": document{
			"provider": document{"type": backup["provider"], "region": region}, "secretRef": backup["secretRef"], "seedName": seedName,
		},
	}, ""
}
