# An image of the program alone. It stands at the top of the repository because Docker looks for it there. The context is
# a folder with the static binary, called idemcheck: see .ci/image. Without Go on the machine:
#
#   FROM golang:1.26 AS build
#   RUN CGO_ENABLED=0 go install -trimpath github.com/idempotency-conformance/idemcheck/cmd/idemcheck@latest
#   FROM scratch
#   COPY --from=build /go/bin/idemcheck /idemcheck
#   … and the rest as below
#
# docker run --rm -v "$PWD:/work" -u "$(id -u)" idemcheck run --ci --target orders.yaml
FROM scratch
COPY idemcheck /idemcheck
# There is no /tmp; this is the one folder in which every engine lets anybody write.
ENV TMPDIR=/dev/shm
USER 65534:65534
WORKDIR /work
ENTRYPOINT ["/idemcheck"]
CMD ["--help"]
