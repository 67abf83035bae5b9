#!/bin/sh
# tls-stack.sh key            print the key of the cache folder
# tls-stack.sh where          print the cache folder
# tls-stack.sh fetch FOLDER   put the sources of deps.lock into FOLDER
# tls-stack.sh build [FOLDER] build libwebsockets and mbedTLS into the cache, from FOLDER if given (offline)
#
# Static, position independent, once per machine and per content of deps.lock, edit-sources.sh and
# this file. Sources come from the Debian mirror that this machine's apt already uses.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
lock=$here/../../deps.lock

say() { printf 'tickglass: %s\n' "$*"; }
die() {
    printf 'tickglass: %s\n' "$*" >&2
    exit 1
}

cache_root() {
    if [ -z "${XDG_CACHE_HOME:-}" ] && [ -z "${HOME:-}" ]; then
        die "neither XDG_CACHE_HOME nor HOME is set: set one, the built dependencies are kept there"
    fi
    printf '%s/tickglass\n' "${XDG_CACHE_HOME:-$HOME/.cache}"
}
cache_key() {
    { cat "$lock" "$here/edit-sources.sh" "$here/tls-stack.sh" && uname -m; } | sha256sum | cut -c1-16
}
cache_folder() { printf '%s/%s\n' "$(cache_root)" "$(cache_key)"; }

# sources COMPONENT: "version file sha256" of each line in deps.lock, preferred first
sources() { awk -v name="$1" '$1 == "source" && $2 == name { print $3, $4, $5 }' "$lock"; }
suites() { awk '$1 == "suites" { for (i = 2; i <= NF; i++) print $i }' "$lock"; }

is_good() { # FILE SHA256
    [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$2" ]
}

# ---- fetching ------------------------------------------------------------------------------------

apt_state='' # a private one: the machine's own package lists stay as they are
private_apt() {
    command=$1
    shift
    "$command" -o Dir::Etc::sourcelist="$apt_state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$apt_state/lists" -o Dir::Cache="$apt_state/cache" \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none "$@"
}

open_apt() {
    command -v apt-get >/dev/null 2>&1 ||
        die "this system has no apt: put the files named in deps.lock into a folder and run ./dev build --deps FOLDER"
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -f "$keyring" ] || die "the keyring of the Debian archive is missing: apt-get install debian-archive-keyring"
    apt_state=$(mktemp -d "${TMPDIR:-/tmp}/tickglass-apt.XXXXXX")
    mkdir -p "$apt_state/lists/partial" "$apt_state/cache/archives/partial"
    # The main repository of this machine: the one whose suite has no suffix such as -updates.
    mirror=$(apt-get -o Dir::State::lists="$apt_state/lists" --print-uris update 2>/dev/null |
        sed -n "s,^'\\(.*\\)/dists/[a-z]*/InRelease' .*,\\1,p" | head -n 1)
    [ -n "$mirror" ] || die "apt names no Debian mirror: configure one, or use ./dev build --deps FOLDER"
    for suite in $(suites); do
        printf 'deb-src [signed-by=%s] %s %s main\n' "$keyring" "$mirror" "$suite"
    done >"$apt_state/sources.list"
    say "reading the source lists of $(suites | tr '\n' ' ')from this machine's Debian mirror ..."
    # apt calls an update without a network a success: what counts is whether a list has come.
    private_apt apt-get -qq update >"$apt_state/log" 2>&1 || true
    [ -n "$(find "$apt_state/lists" -name '*_Sources*' -print -quit)" ] || {
        tail -n 3 "$apt_state/log" >&2
        die "the Debian mirror cannot be reached: check the network, or run ./dev deps fetch FOLDER elsewhere and ./dev build --deps FOLDER here"
    }
}

# version_of COMPONENT SHA256: the Debian version whose upstream archive is that very file
version_of() {
    private_apt apt-cache showsrc "$1" 2>/dev/null |
        awk -v sha="$2" '$1 == "Version:" { version = $2 } $1 == sha { print version; exit }'
}

# fetch_one COMPONENT FOLDER: the first line of deps.lock whose file is there or can be had
fetch_one() {
    sources "$1" | {
        while read -r version file sha; do
            if is_good "$2/$file" "$sha"; then
                exit 0
            fi
        done
        exit 1
    } && return 0
    [ -n "$apt_state" ] || open_apt
    sources "$1" | {
        while read -r version file sha; do
            debian=$(version_of "$1" "$sha")
            [ -n "$debian" ] || continue
            say "fetching $1 $version ..."
            (cd "$apt_state" && private_apt apt-get -qq --download-only --tar-only source "$1=$debian") \
                >"$apt_state/log" 2>&1 || {
                tail -n 3 "$apt_state/log" >&2
                continue
            }
            is_good "$apt_state/$file" "$sha" || continue
            mv "$apt_state/$file" "$2/$file.part.$$" && mv "$2/$file.part.$$" "$2/$file"
            exit 0
        done
        exit 1
    } || die "no source of $1 named in deps.lock is offered by this machine's Debian mirror any more:" \
        "get $(sources "$1" | awk 'NR == 1 { print $2 }') elsewhere, put it into a folder and run ./dev build --deps FOLDER"
}

fetch() { # FOLDER
    mkdir -p "$1"
    fetch_one mbedtls "$1"
    fetch_one libwebsockets "$1"
}

# ---- building ------------------------------------------------------------------------------------

# pick COMPONENT FOLDER: "version file" of the source that lies in FOLDER and has the right hash
pick() {
    sources "$1" | while read -r version file sha; do
        if is_good "$2/$file" "$sha"; then
            echo "$version $file"
            break
        fi
    done
}

run_logged() { # LOG COMMAND...
    log=$1
    shift
    "$@" >>"$log" 2>&1 || {
        tail -n 30 "$log" >&2
        die "building the dependencies failed; the lines above are the end of the log"
    }
}

build_mbedtls() { # WORK
    run_logged "$1/log" cmake -S "$1/mbedtls" -B "$1/mbedtls/out" -G Ninja \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
        -DENABLE_PROGRAMS=OFF -DENABLE_TESTING=OFF -DGEN_FILES=OFF -DMBEDTLS_FATAL_WARNINGS=OFF \
        -DUSE_STATIC_MBEDTLS_LIBRARY=ON -DUSE_SHARED_MBEDTLS_LIBRARY=OFF \
        -DCMAKE_INSTALL_PREFIX="$1/stack" -DCMAKE_INSTALL_LIBDIR=lib
    run_logged "$1/log" cmake --build "$1/mbedtls/out" --target install
}

build_websockets() { # WORK
    lib=$1/stack/lib
    run_logged "$1/log" cmake -S "$1/libwebsockets" -B "$1/libwebsockets/out" -G Ninja \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
        -DLWS_WITH_MBEDTLS=ON -DLWS_MBEDTLS_INCLUDE_DIRS="$1/stack/include" \
        -DLWS_MBEDTLS_LIBRARIES="$lib/libmbedtls.a;$lib/libmbedx509.a;$lib/libmbedcrypto.a" \
        -DMBEDTLS_LIBRARY="$lib/libmbedtls.a" -DMBEDX509_LIBRARY="$lib/libmbedx509.a" \
        -DMBEDCRYPTO_LIBRARY="$lib/libmbedcrypto.a" \
        -DLWS_WITH_SHARED=OFF -DLWS_STATIC_PIC=ON -DLWS_WITHOUT_TESTAPPS=ON -DLWS_WITHOUT_EXTENSIONS=ON \
        -DLWS_WITH_HTTP2=OFF -DLWS_IPV6=ON -DLWS_WITH_EXTERNAL_POLL=ON \
        -DLWS_HAVE_LIBCAP=OFF -DLWS_HAVE_SYS_CAPABILITY_H=OFF -DDISABLE_WERROR=ON -DCMAKE_INSTALL_PREFIX="$1/stack"
    run_logged "$1/log" cmake --build "$1/libwebsockets/out" --target install
    [ -f "$lib/libwebsockets.a" ] || die "libwebsockets was built but not installed: refused"
    # cmake's feature checks fail in silence, and what they miss is missed at run time.
    for symbol in LWS_WITH_MBEDTLS LWS_HAVE_mbedtls_ssl_set_verify LWS_HAVE_mbedtls_ssl_conf_sni \
        LWS_HAVE_mbedtls_ssl_conf_alpn_protocols LWS_WITH_TLS_SESSIONS LWS_WITH_EXTERNAL_POLL; do
        grep -Eq "^#define $symbol( |\$)" "$1/stack/include/lws_config.h" ||
            die "libwebsockets was built without $symbol: refused (is the compiler able to link mbedTLS?)"
    done
    # And what they find by chance, on a machine with more packages, becomes a need of every host.
    ! grep -q '^#define LWS_HAVE_LIBCAP' "$1/stack/include/lws_config.h" ||
        die "libwebsockets picked up libcap from this machine: refused"
}

build_stack() { # FOLDER DOWNLOADS
    work=$1.part.$$
    mkdir -p "$work/stack/licences"
    for component in mbedtls libwebsockets; do
        chosen=$(pick "$component" "$2")
        [ -n "$chosen" ] || die "no file of $component named in deps.lock, with its sha256, is in $2:" \
            "fill it with ./dev deps fetch FOLDER on a machine that has a network"
        mkdir "$work/$component"
        tar -xf "$2/${chosen#* }" -C "$work/$component" --strip-components=1
        echo "$component ${chosen% *}" >>"$work/stack/versions"
    done
    sh "$here/edit-sources.sh" "$work/mbedtls" "$work/libwebsockets" || die "the sources could not be edited: refused"
    CFLAGS="-ffunction-sections -fdata-sections -ffile-prefix-map=$work=. -DLWS_AVOID_SIGPIPE_IGN"
    export CFLAGS
    say "building mbedTLS $(awk '$1 == "mbedtls" { print $2 }' "$work/stack/versions") (once per machine, about a minute) ..."
    build_mbedtls "$work"
    say "building libwebsockets $(awk '$1 == "libwebsockets" { print $2 }' "$work/stack/versions") ..."
    build_websockets "$work"
    cp "$work/mbedtls/LICENSE" "$work/stack/licences/mbedtls.txt"
    cp "$work/libwebsockets/LICENSE" "$work/stack/licences/libwebsockets.txt"
    rm -rf "$work/stack/lib/cmake" "$work/stack/lib/pkgconfig"
    mv -T "$work/stack" "$1"
}

build() { # [FOLDER]
    stack=$(cache_folder)
    [ -d "$stack" ] && return 0
    root=$(cache_root)
    mkdir -p "$root"
    exec 9>"$stack.lock"
    flock -n 9 || {
        say "another build of the dependencies is running: waiting for it ..."
        flock 9
    }
    [ -d "$stack" ] && return 0
    downloads=${1:-$root/downloads}
    [ -n "${1:-}" ] || fetch "$downloads"
    build_stack "$stack" "$downloads"
    say "dependencies are in $stack"
}

work='' # where a build lies until it is complete
trap 'rm -rf ${apt_state:+"$apt_state"} ${work:+"$work"}' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
case "${1:-}" in
key) cache_key ;;
where) cache_folder ;;
fetch) fetch "${2:?tls-stack.sh fetch FOLDER}" ;;
build) build "${2:-}" ;;
*) die "tls-stack.sh key | where | fetch FOLDER | build [FOLDER]" ;;
esac
