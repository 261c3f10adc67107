//go:build !unix

package container

func becomeNobody() { panic("only on Unix") }
