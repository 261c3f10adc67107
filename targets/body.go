package targets

// Body is a request body template.
type Body struct{}

// Secrets knows what must never be shown.
type Secrets struct{}
