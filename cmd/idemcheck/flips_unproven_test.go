package main

// unproven are the documented values that no flip turns red, by the reason for it.
var unproven = map[string][]string{
	"a floor alone says when a key is certainly kept; when it is gone nobody has promised": {
		"azure-repeatable-requests expired.mode", "azure-repeatable-requests expired.status", "plaid expired.mode", "stripe-v1 expired.mode",
	},
	"a permission: whatever comes is right": {"adyen replay.marker.first", "solidgate replay.marker.first"},
	"the customer's choice: the target file says what was chosen": {
		"checkout retention.configurable", "fluidpay retention.configurable", "paypal retention.configurable", "svix retention.configurable",
		"worldpay retention.configurable", "zalando retention.configurable",
	},
	"what a tester may do to make time pass; the target file says what is done": {
		"azure-repeatable-requests retention.age", "mastercard retention.age",
	},
	"the key of other operations of the owner; the target file says which is meant": {
		"plaid key.other_names", "razorpay key.other_names", "wise key.other_names",
	},
	"all that is sent is so, and a target that refuses it is refused before any case": {
		"docusign-connect delivery.sign.header", "google-aip-155 key.max_length", "helcim key.max_length", "helcim key.min_length",
		"mangopay key.max_length", "moov key.max_length", "procore-webhooks key.alphabet",
		"procore-webhooks key.max_length", "procore-webhooks key.min_length", "razorpay key.max_length", "xero-webhooks delivery.sign.header",
	},
	"how long a sender waits: the stand-in acknowledges long before": {
		"github-webhooks delivery.deadline", "procore-webhooks delivery.deadline", "standard-webhooks delivery.deadline",
		"xero-webhooks delivery.deadline",
	},
	"the id of older events; which of them come is for their sender to choose": {"procore-webhooks key.other_names"},
	"there are so few keys of one character that somebody may have used each":  {"resend key.min_length"},
	"nothing is judged by time":                                                    {"checkout in_flight.min_wait", "svix in_flight.max_wait"},
	"said of how records are counted, and not of keys":                             {"docusign counting.lookup", "increase counting.lookup", "stripe-v2 counting.eventual"},
	"a server that takes the quotes for letters of the key keeps all its promises": {"ietf-draft-07 key.quoting"},
	"the reference has no operation with two methods":                              {"resend scope.method.mode"},
	"the store of the reference is within it, and cannot be taken from it":         {"method store_down.mode", "method store_down.status", "method store_down.code", "worldpay store_down.mode"},
}
