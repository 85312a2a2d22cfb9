module github.com/prometheus/alertmanager

go 1.26.0

require github.com/go-openapi/strfmt v0.0.0

replace github.com/go-openapi/strfmt => ../strfmt
