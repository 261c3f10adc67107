package container

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

var clientInspect = client.ContainerInspectOptions{}

// leave makes one of each kind, as an idemcheck that was killed leaves it, and gives the label that finds them.
func leave(t *testing.T, e *engine, name string, labels map[string]string) string {
	t.Helper()
	image, err := shopImage()
	require.NoError(t, err)
	name = fmt.Sprintf("idemcheck-leftover-%s-%d", name, os.Getpid())
	mark := "idemcheck.test.left=" + name
	labels["idemcheck.test.left"] = name
	_, err = e.ContainerCreate(t.Context(), client.ContainerCreateOptions{Name: name, Config: &container.Config{Image: image, Labels: labels}})
	require.NoError(t, err)
	_, err = e.NetworkCreate(t.Context(), name, client.NetworkCreateOptions{Labels: labels})
	require.NoError(t, err)
	_, err = e.VolumeCreate(t.Context(), client.VolumeCreateOptions{Name: name, Labels: labels})
	require.NoError(t, err)
	var empty bytes.Buffer
	require.NoError(t, tar.NewWriter(&empty).Close())
	var changes []string
	for key, value := range labels {
		changes = append(changes, fmt.Sprintf("LABEL %s=%q", key, value))
	}
	imported, err := e.ImageImport(t.Context(), client.ImageImportSource{Source: &empty, SourceName: "-"}, name+":left", client.ImageImportOptions{Changes: changes})
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, imported)
	require.NoError(t, err)
	t.Cleanup(func() {
		all := func(thing) bool { return true }
		assert.NoError(t, e.removeThose(context.Background(), make(client.Filters).Add("label", mark), all))
	})
	return mark
}

func TestRemoveStale(t *testing.T) {
	t.Parallel()
	e := docker(t)
	elsewhere, alive := dead(t), self()
	elsewhere.host = "another-machine"
	kept := []string{
		leave(t, e, "elsewhere", map[string]string{ownerLabel: elsewhere.String()}),
		leave(t, e, "alive", map[string]string{ownerLabel: alive.String()}),
		leave(t, e, "foreign", map[string]string{}),
		leave(t, e, "strange", map[string]string{ownerLabel: "not an owner"}),
	}
	stale := leave(t, e, "stale", map[string]string{ownerLabel: dead(t).String()})
	require.NoError(t, RemoveStale(t.Context()))
	assert.Empty(t, things(t, e, stale))
	for _, label := range kept {
		assert.Equal(t, map[string]int{"container": 1, "network": 1, "volume": 1, "image": 1}, things(t, e, label), label)
	}
}

// openAndWait opens a target as idemcheck does, says by which label its things are found, and waits to be killed.
func openAndWait() {
	e, err := Open(context.Background(), &targets.Target{Name: "orders", Secrets: targets.NewSecrets(), Run: &targets.Run{
		Container: &targets.Container{Image: os.Getenv("SHOP"), Port: 8080, Volumes: map[string]string{"data": "/data"}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ownerLabel+"="+self().String(), e.URL)
	select {}
}

func TestRemoveWhatAKilledRunHasLeft(t *testing.T) {
	t.Parallel()
	e := docker(t)
	image, err := shopImage()
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), role+"=killed", "SHOP="+image)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	label, url, _ := strings.Cut(strings.TrimSpace(said), " ")
	assert.Equal(t, "started\n", get(url+"/notes"))
	left := map[string]int{"container": 1, "network": 1, "volume": 1}
	require.NoError(t, RemoveStale(t.Context()))
	assert.Equal(t, left, things(t, e, label), "its owner lives")
	require.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	require.NoError(t, RemoveStale(t.Context()))
	assert.Empty(t, things(t, e, label))
}
