package container

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// labelOf gives the label by which everything of an open target is found.
func labelOf(t *testing.T, e *engine, open *targets.Endpoint) string {
	t.Helper()
	id := regexp.MustCompile(`\(([0-9a-f]{12})\)`).FindStringSubmatch(open.About)
	require.NotNil(t, id, open.About)
	found, err := e.ContainerInspect(t.Context(), id[1], clientInspect)
	require.NoError(t, err)
	return runLabel + "=" + found.Container.Config.Labels[runLabel]
}

func TestOpenKillRestart(t *testing.T) {
	t.Parallel()
	engine := docker(t)
	e := mustOpen(t, shop(t))
	assert.Regexp(t, `^http://127\.0\.0\.1:(2|30|31)\d+$`, e.URL)
	assert.True(t, e.Loopback)
	assert.False(t, e.Embedded)
	x := e.Sender.Send(t.Context(), targets.Attempt{Method: "GET", URL: e.URL + "/healthz"})
	assert.Equal(t, 200, x.Status, x.Err)
	assert.Equal(t, 1, x.Conn, "questions whether it is ready are no part of the run")
	assert.Equal(t, "started\n", get(e.URL+"/notes"))

	name := get(e.URL + "/name")
	require.NoError(t, e.Kill(t.Context()))
	found, err := engine.ContainerInspect(t.Context(), name, clientInspect)
	require.NoError(t, err)
	assert.False(t, found.Container.State.Running)
	assert.Equal(t, 137, found.Container.State.ExitCode)
	assert.Empty(t, get(e.URL+"/notes"))
	require.NoError(t, e.Kill(t.Context()), "a dead container is not an error")

	require.NoError(t, e.Restart(t.Context()))
	assert.Equal(t, "started\nstarted\n", get(e.URL+"/notes"), "the data has survived, behind the same address")
	assert.Equal(t, name, get(e.URL+"/name"))
	require.NoError(t, e.Restart(t.Context()))
	assert.Equal(t, "started\nstarted\nstopped\nstarted\n", get(e.URL+"/notes"), "a living one is asked to end")

	assert.Equal(t, 3, strings.Count(e.Logs(), "serving with"))
	assert.NotContains(t, e.Logs(), "s3cret-word")
}

func TestKillCutsWhatIsConnected(t *testing.T) {
	t.Parallel()
	e := mustOpen(t, shop(t))
	at, err := url.Parse(e.URL)
	require.NoError(t, err)
	conn := dial(t, at.Host)
	fmt.Fprint(conn, "GET /notes HTTP/1.1\r\nHost: shop\r\n\r\n")
	status, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "HTTP/1.1 200 OK\r\n", status)
	fmt.Fprint(conn, "GET /hang HTTP/1.1\r\nHost: shop\r\n\r\n")
	require.NoError(t, e.Kill(t.Context()))
	_, err = bufio.NewReader(conn).ReadString('\x00')
	assert.Error(t, err)
	assert.True(t, isDead(t, at.Host))
}

func TestCloseLeavesNothing(t *testing.T) {
	t.Parallel()
	engine := docker(t)
	target := shop(t)
	target.Run.Container.Build = &targets.Build{Context: ".", Args: map[string]string{"GREETING": "goodbye"}}
	target.Run.Container.Image = ""
	target.Run.Container.Services = targets.Services{store(t, "database")}
	ctx, cancel := context.WithCancel(t.Context())
	e, err := Open(ctx, target)
	require.NoError(t, err)
	assert.Regexp(t, `^container built from \. \([0-9a-f]{12}\), with database \(idemcheck-.*\)$`, e.About)
	assert.Equal(t, "goodbye", get(e.URL+"/env?name=GREETING"))
	label := labelOf(t, engine, e)
	assert.Equal(t, map[string]int{"container": 2, "network": 1, "volume": 1, "image": 1}, things(t, engine, label))
	cancel() // it is the context of the start only
	assert.Equal(t, "started\n", get(e.URL+"/notes"))
	require.NoError(t, e.Close())
	require.NoError(t, e.Close())
	assert.Empty(t, things(t, engine, label))
	assert.Contains(t, e.Logs(), "serving with", "what it has printed is kept")
	assert.Empty(t, get(e.URL+"/notes"))
}

func TestBuildWithWhatOnlyBuildKitKnows(t *testing.T) {
	t.Parallel()
	target := shop(t)
	folder := t.TempDir()
	dockerfile := "FROM " + target.Run.Container.Image + "\nCOPY --chmod=644 Dockerfile.kit /data/notes\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Dockerfile.kit"), []byte(dockerfile), 0o600))
	built(target, folder, "Dockerfile.kit")
	e := mustOpen(t, target)
	assert.Equal(t, dockerfile+"started\n", get(e.URL+"/notes"))
}

func TestServicesAndReplicas(t *testing.T) {
	t.Parallel()
	target := shop(t)
	c := target.Run.Container
	c.Replicas = 2
	database := store(t, "database")
	database.Ready = targets.Strings{"/shop", "check"}
	c.Services = targets.Services{database, store(t, "cache")}
	c.Env["STORE"] = "database:7000"
	target.Observers = []targets.Observer{{Name: "lines", Command: &targets.CommandCall{Argv: targets.Strings{"{{services.database}}", "{{marker}}"}}}}
	e := mustOpen(t, target)
	assert.Regexp(t, `^container \S+ \(\w+\) and a replica, with database \(\S+\), cache \(\S+\)$`, e.About)

	require.Len(t, e.Replicas, 1)
	assert.Equal(t, e.Replicas, e.Target.Replicas)
	assert.Empty(t, target.Replicas, "the target as written stays")
	assert.NotEqual(t, get(e.URL+"/name"), get(e.Replicas[0]+"/name"))
	assert.Equal(t, "started\nstarted\n", get(e.Replicas[0]+"/notes"), "they share the volumes")
	x := e.Sender.Send(t.Context(), targets.Attempt{Method: "GET", URL: e.Replicas[0] + "/healthz"})
	assert.Equal(t, 200, x.Status, x.Err)

	argv := e.Target.Observers[0].Command.Argv
	assert.Equal(t, "{{marker}}", argv[1])
	conn := dial(t, argv[0])
	fmt.Fprintln(conn, "ask")
	line, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "line 1\n", line)
	assert.Equal(t, "line 2\n", get(e.URL+"/ask"), "the target reaches it by its name")
	require.NoError(t, e.Kill(t.Context()))
	assert.Empty(t, get(e.URL+"/name"))
	assert.Equal(t, "line 3\n", get(e.Replicas[0]+"/ask"), "the replica lives")
	assert.Contains(t, e.Logs(), "instance 2:\nserving with")
	assert.Nil(t, e.Points)
	assert.Nil(t, e.RestartStore)
}

func TestAnother(t *testing.T) {
	t.Parallel()
	engine := docker(t)
	e, err := Open(t.Context(), shop(t))
	require.NoError(t, err)
	defer e.Close()
	first, err := e.Another(t.Context())
	require.NoError(t, err)
	second, err := e.Another(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "started\nstarted\nstarted\n", get(second.URL+"/notes"), "on the same data")
	require.NoError(t, second.Kill(t.Context()))
	assert.Empty(t, get(second.URL+"/name"))
	assert.NotEmpty(t, get(e.URL+"/name"))
	require.NoError(t, second.Restart(t.Context()))
	assert.NotEmpty(t, get(second.URL+"/name"))

	label := labelOf(t, engine, e)
	assert.Equal(t, 3, things(t, engine, label)["container"])
	require.NoError(t, second.Close())
	assert.Equal(t, 2, things(t, engine, label)["container"])
	require.NoError(t, e.Close())
	assert.Empty(t, get(first.URL+"/name"), "closed with the first at the latest")
	require.NoError(t, first.Close())
	assert.Empty(t, things(t, engine, label))
	_, err = e.Another(t.Context())
	assert.ErrorContains(t, err, "open another instance of orders: the target is closed")
}

func TestOthersAtOnce(t *testing.T) {
	t.Parallel()
	engine := docker(t)
	e := mustOpen(t, shop(t))
	label := labelOf(t, engine, e)
	var group sync.WaitGroup
	urls := make([]string, 3)
	for n := range urls {
		group.Go(func() {
			another, err := e.Another(t.Context())
			if assert.NoError(t, err) {
				urls[n] = another.URL
				assert.NoError(t, another.Close())
			}
		})
	}
	group.Wait()
	assert.Len(t, map[string]bool{urls[0]: true, urls[1]: true, urls[2]: true}, 3)
	assert.Equal(t, 1, things(t, engine, label)["container"])
}

func TestTheStartCanBeGivenUp(t *testing.T) {
	t.Parallel()
	engine := docker(t)
	target := shop(t, "mute")
	target.Name = strings.ToLower(rand.Text()) // the file names nothing else so
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		assert.Eventually(t, func() bool { return namesOf(t, engine, target.Name)["container"] > 0 }, eventually, tick)
	}()
	_, err := Open(ctx, target)
	assert.ErrorContains(t, err, "start "+target.Name)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, namesOf(t, engine, target.Name))
}

// namesOf counts what has a name with a part in it.
func namesOf(t *testing.T, e *engine, part string) map[string]int {
	t.Helper()
	n := map[string]int{}
	found, err := e.ContainerList(context.Background(), client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("name", part)})
	assert.NoError(t, err)
	for range found.Items {
		n["container"]++
	}
	volumes, err := e.VolumeList(context.Background(), client.VolumeListOptions{Filters: make(client.Filters).Add("name", part)})
	assert.NoError(t, err)
	for range volumes.Items {
		n["volume"]++
	}
	return n
}

func TestByPublishedPorts(t *testing.T) {
	t.Parallel()
	target := shop(t)
	target.Run.Container.Services = targets.Services{store(t, "database")}
	target.Run.Container.Env["STORE"] = "database:7000"
	s, err := newSite(t.Context(), docker(t), target)
	defer func() { require.NoError(t, s.close(t.Context())) }()
	require.NoError(t, err)
	s.direct = false // as with Docker Desktop
	require.NoError(t, s.startServices(t.Context()))
	all, err := s.startInstances(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "line 1\n", get(all[0].url+"/ask"))
	require.NoError(t, all[0].kill(t.Context()))
	assert.True(t, isDead(t, all[0].front.addr()))
	require.NoError(t, all[0].restart(t.Context()))
	require.NoError(t, s.services[0].restart(t.Context()))
	assert.Equal(t, "line 1\n", get(all[0].url+"/ask"))
	listen, seenAs, err := s.hosting()
	require.NoError(t, err)
	assert.Equal(t, []string{"127.0.0.1", "host.docker.internal"}, []string{listen, seenAs})
}

func TestAContainerThatEndsByItself(t *testing.T) {
	t.Parallel()
	e := mustOpen(t, shop(t))
	at, err := url.Parse(e.URL)
	require.NoError(t, err)
	assert.Empty(t, get(e.URL+"/exit"))
	assert.Eventually(t, func() bool { return isDead(t, at.Host) }, eventually, tick)
	require.NoError(t, e.Restart(t.Context()))
	assert.Equal(t, "started\nstarted\n", get(e.URL+"/notes"))
}
