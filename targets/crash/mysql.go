package crash

import (
	"bufio"
	"errors"
	"sync/atomic"
)

const (
	myHeader = 4         // length in three bytes, and a number that begins at 0 with each command
	myFull   = 1<<24 - 1 // a packet of this length goes on in the next
	myPeek   = 64        // how much of an answer has to be seen
)

// myLink is a connection that speaks the protocol of MySQL and MariaDB.
type myLink struct {
	*link
	in     *inlet // from the target
	to     *bufio.Writer
	within bool // the target's packet before was full, and goes on
	names  myNames
	infile atomic.Bool // the target sends a file: its packets are no commands

	from    *inlet // from the database
	out     *outlet
	greeted bool
	inside  bool // the database's packet before was full, and goes on
	reply   myReply
}

// openMySQL connects: the database speaks first.
func (l *link) openMySQL() (halves, error) {
	if err := l.connect(); err != nil {
		l.client.Write(myError(err)) //nolint:errcheck // it may have gone
		return halves{}, err
	}
	my := &myLink{link: l, to: newGated(l, l.server), out: newOutlet(l)}
	my.in = newInlet(l.client, my.to.Flush)
	my.from = newInlet(l.server, my.out.flush)
	return halves{front: my.front, back: my.back}, nil
}

// myError is a packet that refuses a connection.
func myError(why error) []byte {
	text := clean("idemcheck's proxy: "+why.Error(), maxLabel)
	body := append([]byte{0xff, 0xd3, 0x07}, text...) // 2003, can't connect
	return append([]byte{byte(len(body)), byte(len(body) >> 8), 0, 0}, body...)
}

// myPacket reads a packet's header. The size is that of all of it.
func myPacket(in *inlet) (number byte, size int, err error) {
	h, err := in.peek(myHeader)
	if err != nil {
		return 0, 0, err
	}
	return h[3], myHeader + int(h[0]) + int(h[1])<<8 + int(h[2])<<16, nil
}

// front passes on what the target says, command by command.
func (my *myLink) front() error {
	for {
		number, size, err := myPacket(my.in)
		if err != nil {
			return err
		}
		if err := my.ask(number, size); err != nil {
			return err
		}
	}
}

// ask passes on one packet of the target's.
func (my *myLink) ask(number byte, size int) error {
	whole := !my.within
	my.within = size == myHeader+myFull
	switch {
	case my.infile.Load():
		if size == myHeader {
			my.infile.Store(false)
		}
	case whole && number == 0 && size > myHeader:
		if err := my.command(size); err != nil {
			return err
		}
	}
	return my.in.send(my.to, size)
}

// command says that a command comes, if it is one that gets a reply.
func (my *myLink) command(size int) error {
	body, err := my.in.peek(min(size, maxPeek))
	if err != nil {
		return err
	}
	label, reply := my.names.command(body[myHeader:])
	if reply == replyNone {
		return nil
	}
	return my.depart(label, 0, reply)
}

// back passes on what the database says.
func (my *myLink) back() error {
	for {
		_, size, err := myPacket(my.from)
		if err == nil {
			err = my.answer(size)
		}
		if err == nil {
			continue
		}
		if errors.Is(err, errCut) {
			return err
		}
		return errors.Join(err, my.out.release(), my.out.flush())
	}
}

// answer passes on one packet of the database's, or holds it.
func (my *myLink) answer(size int) error {
	body, err := my.from.peek(min(size, myHeader+myPeek))
	if err != nil {
		return err
	}
	if !my.greeted {
		my.greeted = true
		return my.greet(size)
	}
	whole := !my.inside
	my.inside = size == myHeader+myFull
	f, expected := my.head()
	if !expected { // the connection is being opened
		return my.from.send(my.out, size)
	}
	if err := my.out.hold(); err != nil {
		return err
	}
	ends := whole && my.reply.add(f.reply, body[myHeader:], size-myHeader)
	if whole && f.reply == replyPrepare {
		my.names.prepared(my.reply.prepared, f.unit.Label)
	}
	return my.move(size, ends && !my.inside)
}

// move passes a packet of a reply on.
func (my *myLink) move(size int, ends bool) error {
	if my.reply.wantsFile { // it goes on only when the target sees it
		my.reply.wantsFile = false
		my.infile.Store(true)
		if err := my.out.spill(); err != nil {
			return err
		}
		return my.from.send(my.out.w, size)
	}
	if err := my.from.send(my.out, size); err != nil {
		return err
	}
	if !ends {
		return nil
	}
	my.reply = myReply{}
	return my.out.complete()
}

// greet passes on the database's greeting, without what the proxy cannot read.
func (my *myLink) greet(size int) error {
	if size > maxPeek {
		return errors.New("the greeting is too long: does the database speak the MySQL protocol?")
	}
	packet, err := my.from.peek(size)
	if err != nil {
		return err
	}
	plainGreeting(packet[myHeader:])
	return my.from.send(my.out, size)
}
