#!/bin/sh
# make_certificates.sh FOLDER
#
# Authorities, servers' and clients' certificates for the tests of TLS, made with the openssl command:
# neither end of what is tested has a part in it. Nothing here outlives the test.
#
#   root.pem stranger.pem          authorities that have nothing to do with each other
#   chain.pem                      what a server sends and its key: leaf, intermediate, key
#   leaf_only.pem with_root.pem    the same without the intermediate; with the root as well
#   wildcard.pem name_only.pem elsewhere.pem expired.pem future.pem of_stranger.pem
#   chain.pin                      base64 of SHA-256 over the public key in chain.pem
#   client_root.pem                what a server trusts clients by
#   client.pem client.key          a client's leaf and intermediate; its key, not encrypted
#   client.pkcs8 client.traditional   the key encrypted in two ways; the password is "open sesame"
#   client.scalar                  the last 16 of the 32 bytes that the key is made of
#   client_rsa.pem                 certificate and RSA key, encrypted, in one file
#   client_of_stranger.pem client_of_stranger.key
set -eu

cd "$1"
export LC_ALL=C
serial=0
password='open sesame'

# new_key FILE
new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }

# request KEY NAME: a signing request
request() { openssl req -new -key "$1" -subj "/CN=$2" -config ca.conf -out request.csr; }

# sign ISSUER FROM TO EXTENSIONS OUT: what request left, signed by ISSUER.pem and ISSUER.key
sign() {
    serial=$((serial + 1))
    : >index.txt
    printf '%04x\n' "$serial" >serial
    printf '[ext]\n%s\n' "$4" | cat ca.conf - >sign.conf
    openssl ca -batch -notext -config sign.conf -cert "$1.pem" -keyfile "$1.key" -startdate "$2" -enddate "$3" \
        -extensions ext -in request.csr -out "$5" 2>ca.log || {
        cat ca.log >&2
        exit 1
    }
}

from=20200101000000Z
to=20991231235959Z
is_root='basicConstraints=critical,CA:TRUE
keyUsage=critical,keyCertSign,cRLSign
subjectKeyIdentifier=hash'
is_authority="$is_root
authorityKeyIdentifier=keyid"
is_server='basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth
subjectAltName='
is_client='basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=clientAuth'

cat >ca.conf <<'CONF'
[ca]
default_ca = all
[all]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[req]
distinguished_name = name
prompt = no
[name]
CONF

# root NAME: NAME.pem and NAME.key
root() {
    new_key "$1.key"
    printf '[ext]\n%s\n' "$is_root" | cat ca.conf - >root.conf
    openssl req -x509 -new -key "$1.key" -subj "/CN=$1" -days 30000 -config root.conf -extensions ext -out "$1.pem"
}

# server NAME FROM TO NAMES [ISSUER]: NAME.pem with leaf, issuer and key
server() {
    request server.key "$1"
    sign "${5:-intermediate}" "$2" "$3" "$is_server$4" leaf.pem
    cat leaf.pem "${5:-intermediate}.pem" server.key >"$1.pem"
}

root root
root stranger
root client_root
new_key intermediate.key
request intermediate.key intermediate
sign root "$from" "$to" "$is_authority" intermediate.pem
new_key server.key

server wildcard "$from" "$to" 'DNS:*.localhost'
server name_only "$from" "$to" 'DNS:localhost'
server elsewhere "$from" "$to" 'DNS:elsewhere.test,IP:127.0.0.9'
server expired 20200101000000Z 20200102000000Z 'DNS:localhost'
server future 20990101000000Z 20991231235959Z 'DNS:localhost'
server of_stranger "$from" "$to" 'DNS:localhost' stranger
server chain "$from" "$to" 'DNS:localhost,IP:127.0.0.1,IP:::1'
cat leaf.pem server.key >leaf_only.pem
cat leaf.pem intermediate.pem root.pem server.key >with_root.pem
openssl pkey -in server.key -pubout -outform DER | openssl dgst -sha256 -binary | openssl base64 >chain.pin

new_key client_intermediate.key
request client_intermediate.key client_intermediate
sign client_root "$from" "$to" "$is_authority" client_intermediate.pem
new_key client.key
request client.key client
sign client_intermediate "$from" "$to" "$is_client" leaf.pem
cat leaf.pem client_intermediate.pem >client.pem
openssl pkcs8 -topk8 -in client.key -passout "pass:$password" -out client.pkcs8
openssl ec -in client.key -aes256 -passout "pass:$password" -out client.traditional 2>/dev/null
openssl ec -in client.key -outform DER 2>/dev/null | dd bs=1 skip=23 count=16 of=client.scalar 2>/dev/null
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -aes256 -pass "pass:$password" -out rsa.key 2>/dev/null
openssl req -new -key rsa.key -passin "pass:$password" -subj /CN=client -config ca.conf -out request.csr
sign client_intermediate "$from" "$to" "$is_client" leaf.pem
cat leaf.pem client_intermediate.pem rsa.key >client_rsa.pem
new_key client_of_stranger.key
request client_of_stranger.key client
sign stranger "$from" "$to" "$is_client" client_of_stranger.pem
