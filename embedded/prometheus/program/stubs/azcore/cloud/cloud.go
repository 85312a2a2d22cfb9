// Package cloud takes the place of that of the client library of Azure.
package cloud

// Configuration is that of no cloud.
type Configuration struct{}

// The clouds are all none.
var AzureChina, AzureGovernment, AzurePublic Configuration
