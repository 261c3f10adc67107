package main

// The certificates of the public authorities, for where the system has none: in an image from scratch.
import _ "golang.org/x/crypto/x509roots/fallback"
