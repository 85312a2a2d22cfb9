package config

import (
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

// validateGarden also reads the named files, so that their mistakes are reported before anything starts.
func validateGarden(at *field.Path, g Garden) field.ErrorList {
	errs := validateRequests(at.Child("requests"), g.Requests)
	if duration := g.CertificateSigningDuration.Duration; duration < time.Minute {
		errs = append(errs, field.Invalid(at.Child("certificateSigningDuration"), duration.String(), "must be 1m at least"))
	}
	errs = append(errs, validateGardenerAPIServer(at.Child("gardenerAPIServer"), g.GardenerAPIServer)...)
	if g.AuthenticationFile != "" {
		errs = append(errs, validateFile(at.Child("authenticationFile"), g.AuthenticationFile, readAuthentication)...)
	}
	errs = append(errs, validateIssuerHosts(at.Child("openIDConnectWebhook", "allowedIssuerHosts"), g.OpenIDConnectWebhook.AllowedIssuerHosts)...)
	if g.Audit == nil {
		return errs
	}
	at = at.Child("audit")
	if g.Audit.LogDir == "" && g.Audit.WebhookFile == "" {
		errs = append(errs, field.Required(at.Child("logDir"), "audit needs logDir or webhookFile"))
	}
	errs = append(errs, validateFile(at.Child("policyFile"), g.Audit.PolicyFile, readPolicy)...)
	if g.Audit.WebhookFile != "" {
		errs = append(errs, validateFile(at.Child("webhookFile"), g.Audit.WebhookFile, func(file string) error {
			_, err := clientcmd.BuildConfigFromFlags("", file)
			return err
		})...)
	}
	if g.Audit.LogDir != "" {
		errs = append(errs, validateFile(at.Child("logDir"), g.Audit.LogDir, func(dir string) error {
			info, err := os.Stat(dir)
			if err == nil && !info.IsDir() {
				err = fmt.Errorf("%s is not a directory", dir)
			}
			return err
		})...)
	}
	return errs
}

// readPolicy is stricter than API servers, which ignore unknown fields.
func readPolicy(file string) error {
	data, err := readFile(file)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(data, &auditv1.Policy{}); err != nil {
		return err
	}
	_, err = policy.LoadPolicyFromBytes(data)
	return err
}

// validateIssuerHosts refuses names that no issuer could ever match.
func validateIssuerHosts(at *field.Path, hosts []string) field.ErrorList {
	var errs field.ErrorList
	for i, host := range hosts {
		if _, err := path.Match(host, ""); err != nil || host == "" || host != strings.ToLower(host) || strings.ContainsAny(host, "/, ") {
			errs = append(errs, field.Invalid(at.Index(i), host, `must be the name of a host in lower case, such as login.example.com or *.example.com, without a scheme and a path`))
		}
	}
	return errs
}

func validateRequests(path *field.Path, r Requests) field.ErrorList {
	var errs field.ErrorList
	for name, number := range map[string]int32{"maxInFlight": *r.MaxInFlight, "maxMutatingInFlight": *r.MaxMutatingInFlight} {
		if number < 1 {
			errs = append(errs, field.Invalid(path.Child(name), number, "must be at least 1"))
		}
	}
	for name, number := range map[string]int32{"maxInFlightPerUser": *r.MaxInFlightPerUser, "maxWatchesPerUser": *r.MaxWatchesPerUser} {
		if number < 0 {
			errs = append(errs, field.Invalid(path.Child(name), number, "must not be negative"))
		}
	}
	return errs
}
