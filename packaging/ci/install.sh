#!/bin/sh
# Installs a release of Luthier on Debian or Ubuntu, with HIP and ROCr of the distribution:
#
#   LUTHIER_OWNER=... sh install.sh
#
#   LUTHIER_OWNER     the account on GitHub that publishes Luthier
#   LUTHIER_VERSION   a version such as 0.1.0; else the latest
#   LUTHIER_RELEASES  where the files of a release lie, instead of those two: the URL of a mirror, or file:///directory
#   LUTHIER_HIP       `no` leaves out HIP and ROCr
set -eu

fail() { printf 'luthier: %s\n' "$*" >&2; exit 1; }

releases=${LUTHIER_RELEASES:-}
if [ -z "$releases" ]; then
    [ -n "${LUTHIER_OWNER:-}" ] || fail "set LUTHIER_OWNER to the account on GitHub that publishes Luthier"
    releases=https://github.com/$LUTHIER_OWNER/luthier/releases
    case ${LUTHIER_VERSION:-latest} in
    latest) releases=$releases/latest/download ;;
    *) releases=$releases/download/v${LUTHIER_VERSION#v} ;;
    esac
fi

command -v apt-get >/dev/null || fail "there is no apt-get here; unpack the archive from $releases instead"
[ "$(uname -m)" = x86_64 ] || fail "there are packages for x86-64 only, and this is $(uname -m)"

sudo=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "run this as root: it installs a package"
    sudo=sudo
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fetch() {
    case $releases in
    file://*) cp "${releases#file://}/$1" "$folder/$1" ;;
    *)
        if command -v curl >/dev/null; then
            curl --fail --silent --show-error --location --retry 3 --output "$folder/$1" "$releases/$1"
        else
            wget --quiet --tries=3 --output-document="$folder/$1" "$releases/$1"
        fi
        ;;
    esac || fail "cannot fetch $releases/$1"
}

fetch SHA256SUMS
package=$(sed -n 's/^[0-9a-f]\{64\}  \(luthier_[^/]*_amd64\.deb\)$/\1/p' "$folder/SHA256SUMS")
[ -n "$package" ] || fail "$releases/SHA256SUMS names no package"
fetch "$package"
(cd "$folder" && grep -F "  $package" SHA256SUMS | sha256sum --check --quiet) || fail "$package is damaged"

# What apt puts there is readable for its own user.
chmod 755 "$folder"
$sudo apt-get update -q
runtime=
if [ "${LUTHIER_HIP:-yes}" != no ]; then
    # The same that the package recommends; images may have recommendations turned off.
    for name in libamdhip64-7 libamdhip64-6 libamdhip64-5; do
        if [ -n "$(apt-cache madison "$name")" ]; then
            runtime="$name libhsa-runtime64-1"
            break
        fi
    done
    [ -n "$runtime" ] || fail "this distribution has no HIP runtime; set LUTHIER_HIP=no if you have one from elsewhere"
fi
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$folder/$package" $runtime
luthier --version
