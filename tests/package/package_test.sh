#!/bin/sh
# package_test.sh BUILD_FOLDER CC CXX
# Installs into a scratch prefix, then builds and runs hosts against what is there and nothing else:
# C11 and C++, shared and static, through pkg-config and through find_package.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
cc=$2
cxx=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/tickglass-package.XXXXXX")
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
# The package must not know where it was installed first.
mv "$work/first" "$work/prefix"
cd "$work"

pc=$(find prefix -name tickglass.pc)
PKG_CONFIG_PATH=$work/${pc%/*}
export PKG_CONFIG_PATH
warnings='-Wall -Wextra -Wpedantic -Werror'
shared=$(pkg-config --cflags --libs tickglass)
static=$(pkg-config --cflags --libs tickglass-static)
libdir=$(pkg-config --variable=libdir tickglass)

run() { # NAME
    LD_LIBRARY_PATH=$libdir "./$1" || { echo "$1 failed"; exit 1; }
}
# shellcheck disable=SC2086 # flags are words
{
    "$cc" -std=c11 $warnings "$here/host.c" $shared -o c_shared
    "$cc" -std=c11 $warnings "$here/host.c" $static -o c_static
    "$cxx" -std=c++11 $warnings "$here/host.cpp" $shared -o cpp_shared
    "$cxx" -std=c++11 $warnings "$here/host.cpp" $static -o cpp_static
}
for host in c_shared c_static cpp_shared cpp_static; do
    run $host
done

# A static host needs nothing but the C library.
needed=$(readelf -d c_static | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -Ev '^(libc|libm|libpthread|ld-linux.*)\.so' || true)
[ -z "$needed" ] || { echo "the static host needs $needed"; exit 1; }
readelf -d c_shared | grep -q 'NEEDED.*libtickglass\.so\.0' || { echo "the shared host does not name libtickglass.so.0"; exit 1; }

{
    cmake -G Ninja -S "$here/consumer" -B consumer -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$cc"
    cmake --build consumer
} >consumer.log 2>&1 || {
    cat consumer.log
    exit 1
}
run consumer/host_shared
run consumer/host_static

# Headers are the public ones only, and the notices came along.
if find prefix/include -path '*internal*' | grep .; then
    echo "private headers were installed"
    exit 1
fi
for file in LICENSE THIRD_PARTY.md licences/mbedtls.txt licences/libwebsockets.txt; do
    find prefix/share/doc -path "*/$file" | grep -q . || { echo "$file was not installed"; exit 1; }
done
