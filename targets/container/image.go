package container

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/authconfig"
	"github.com/moby/moby/api/types/build"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/idempotency-conformance/idemcheck/targets"
)

const (
	buildLines = 15 // of a build that failed are shown
	maxName    = 40
)

// find gives an image that is present: it is built, or it is here already, or it is pulled. what is who needs it.
func (s *site) find(ctx context.Context, what, image string, from *targets.Build) (string, error) {
	if from != nil {
		built, err := s.build(ctx, what, *from)
		if err != nil {
			return "", fmt.Errorf("build the image of %s from %s: %w", what, from.Context, err)
		}
		return built, nil
	}
	if testcontainers.ReadConfig().Config.HubImageNamePrefix != "" {
		return image, nil // testcontainers finds it under a name with that prefix
	}
	_, err := s.engine.ImageInspect(ctx, image)
	if errdefs.IsNotFound(err) {
		err = s.pull(ctx, image)
	}
	if err != nil {
		return "", fmt.Errorf("find the image of %s: %w", what, err)
	}
	return image, nil
}

// pull asks for the image once: what a registry refuses it refuses again, and a closed network stays closed.
func (s *site) pull(ctx context.Context, image string) error {
	o := client.ImagePullOptions{}
	if _, auth, err := testcontainers.DockerImageAuth(ctx, image); err == nil {
		if o.RegistryAuth, err = authconfig.Encode(auth); err != nil {
			return fmt.Errorf("log in for %s: %w", image, err)
		}
	}
	pulled, err := s.engine.ImagePull(ctx, image, o)
	if err == nil {
		err = pulled.Wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s is not on this machine and cannot be pulled: %w (is the name right? a private one needs "+
			"docker login; without a way to the registry, load or build it here first)", image, err)
	}
	return nil
}

// build lets the engine build an image from a folder.
func (s *site) build(ctx context.Context, what string, b targets.Build) (string, error) {
	folder := b.Context
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(filepath.Dir(s.target.File), folder)
	}
	if b.Dockerfile == "" {
		b.Dockerfile = "Dockerfile"
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return "", fmt.Errorf("there is no folder %s", folder)
	}
	if _, err := os.Stat(filepath.Join(folder, b.Dockerfile)); err != nil {
		return "", fmt.Errorf("there is no %s in %s", b.Dockerfile, folder)
	}
	b.Context = folder
	built, said, err := s.buildBy(ctx, what, b, build.BuilderV1)
	if err != nil && beyondV1.MatchString(err.Error()) {
		built, said, err = s.buildBy(ctx, what, b, build.BuilderBuildKit)
	}
	if err != nil {
		return "", buildError(err, said)
	}
	return built, nil
}

// beyondV1 matches how the first builder says that it does not understand a Dockerfile.
var beyondV1 = regexp.MustCompile(`(?i)BuildKit|parse error|unknown (flag|instruction)`)

// buildBy builds by one of the engine's two builders. The first is there everywhere and pulls base images without
// further ado; but it does not know all that a Dockerfile may say today.
func (s *site) buildBy(ctx context.Context, what string, b targets.Build, builder build.BuilderVersion) (string, *tail, error) {
	args := map[string]*string{}
	for name, value := range b.Args {
		args[name] = &value
	}
	said := &tail{}
	built, err := s.engine.provider.BuildImage(ctx, &testcontainers.ContainerRequest{
		FromDockerfile: testcontainers.FromDockerfile{Context: b.Context, Dockerfile: b.Dockerfile, BuildArgs: args,
			Repo: s.named(what), Tag: "built", BuildLogWriter: said,
			KeepImage: true, // that is, without the labels of testcontainers: each costs the first builder a second
			BuildOptionsModifier: func(o *client.ImageBuildOptions) {
				o.Labels, o.Version = s.ownLabels(), builder
			}},
	})
	return built, said, err
}

// buildError adds the end of what the build has said.
func buildError(err error, said *tail) error {
	words := strings.TrimPrefix(err.Error(), "build image: ")
	if lines := said.last(buildLines); lines != "" {
		words += "; the last lines of the build:\n" + lines
	}
	return errors.New(words)
}

var notPlain = regexp.MustCompile(`[^a-z0-9]+`)

// plain turns a text into something that may stand in the name of anything on the engine.
func plain(text string) string {
	text = notPlain.ReplaceAllString(strings.ToLower(text), "-")
	return strings.Trim(text[:min(len(text), maxName)], "-")
}
