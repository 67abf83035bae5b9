#!/usr/bin/env python3
"""A lint that finds nothing must be one that can: each check meets a planted fault.

lint_self_test.py LINT
"""
import pathlib
import subprocess
import sys
import tempfile

ARCHITECTURE = """# Architecture

| room | may use | third party |
|---|---|---|
| base | – | – |
| codec | base | – |
| store | base (public) | POSIX: `src/clock.c`; mbedtls: `src/tls*` |
"""
CLEAN = {
    "ARCHITECTURE.md": ARCHITECTURE,
    ".clang-format": "BasedOnStyle: LLVM\nIndentWidth: 4\n",
    "base/include/tickglass/base.h": "/** Thread: any.  Blocks: no.  Since: 0.1 */\nTG_API int tg_base(void);\n",
    "base/internal/tickglass/internal/cursor.h": "int tg__cursor(void);\n",
    "codec/src/codec.c": "#include <stdint.h>\n#include <tickglass/base.h>\n#include <tickglass/internal/cursor.h>\n",
    "store/src/clock.c": "#include <pthread.h>\n",
    "store/src/tls_ca.c": "#include <mbedtls/ssl.h>\n",
    "run.sh": "#!/bin/sh\necho \"$1\"\n",
    "PROTOCOL.md": "**M1** a client shall. **M2** A gateway shall. **M3** Both shall.\n",
    "tests/vectors/a.json": '{"vectors": [{"name": "v", "cites": ["M1"]}]}',
    "tests/vectors/transcripts/b.json": '{"cites": ["M2"], "steps": []}',
    "tests/vectors/other_proofs.json": '{"M3": ["tests/codec/x_test.c:both_do"]}',
    "tests/codec/x_test.c": "static void both_do(void **state) { (void)state; }\n",
}
# check, file, text, what the report must say
PLANTED = [
    ("rooms", "codec/src/x.c", "#include <tickglass/store.h>\n", "belongs to no room"),
    ("rooms", "base/src/x.c", "#include <tickglass/codec.h>\n", "base may not use codec"),
    ("rooms", "store/src/x.c", "#include <tickglass/internal/cursor.h>\n", "only the public headers of base"),
    ("rooms", "store/src/x.c", "#include <mbedtls/ssl.h>\n", "include mbedtls"),
    ("rooms", "codec/src/x.c", "#include <unistd.h>\n", "include POSIX"),
    ("rooms", "codec/src/x.c", "#include <libwebsockets.h>\n", "include libwebsockets"),
    ("rooms", "codec/src/x.c", "#include \"../../store/src/x.h\"\n", "not beside this file"),
    ("rooms", "codec/include/tickglass/x.h", "#include <tickglass/internal/cursor.h>\n", "the public header includes"),
    ("rooms", "ARCHITECTURE.md", "# Architecture\n", "no table"),
    ("format", "codec/src/x.c", "int  main( void ){return 0 ;}\n", "clang-format"),
    ("words", "codec/src/x.c", "/* TO" "DO later */\n", "finish it"),
    ("words", "x.sh", "cp a /wo" "rk/b\n", "path of one machine"),
    ("words", "x.md", "see http://deb.deb" "ian.org/x\n", "package host"),
    ("words", "codec/src/x.c", "#pragma GCC diagnostic ign" "ored \"-Wall\"\n", "silences"),
    ("words", "codec/src/x.c", "#if 0\n#endif\n", "switched off"),
    ("names", "codec/src/string_util.c", "int x;\n", "says nothing"),
    ("names", "codec/helpers/x.c", "int x;\n", "says nothing"),
    ("length", "codec/src/x.c", "int x;\n" * 1001, "1001 lines"),
    ("api", "codec/include/tickglass/x.h", "/** Thread: any. */\nTG_API int tg_x(int a,\n  int b);\n", "tg_x: its comment does not say Since"),
    ("api", "codec/include/tickglass/x.h", "TG_API int tg_x(void);\n", "does not say Thread"),
    ("protocol", "PROTOCOL.md", "**M1** **M2** **M3** **M4**\n", "M4 is cited by no"),
    ("protocol", "PROTOCOL.md", "**M1** **M2** **M3**\n\n**M2**\n", "M2 is defined in line 1 already"),
    ("protocol", "PROTOCOL.md", "**M1** **M2**\n", "M3 is cited, but"),
    ("protocol", "tests/vectors/a.json", '{"vectors": [{"name": "v", "cites": []}]}', "M1 is cited by no"),
    ("protocol", "tests/vectors/a.json", "{", "cannot be read as JSON"),
    ("protocol", "tests/vectors/transcripts/b.json", '{"cites": ["M9"]}', "M9 is cited, but"),
    ("protocol", "tests/vectors/other_proofs.json", '{"M3": ["tests/codec/x_test.c:both_d"]}', "there is no test"),
    ("protocol", "tests/vectors/other_proofs.json", '{"M3": ["tests/codec/y_test.c:both_do"]}', "there is no test"),
    ("protocol", "tests/vectors/other_proofs.json", '{"M3": []}', "no test is named"),
    ("scripts", "run.sh", "#!/bin/sh\necho $1\n", "SC2086"),
]


def plant(files):
    folder = tempfile.TemporaryDirectory(prefix="tickglass-lint.")
    for name, text in files.items():
        file = pathlib.Path(folder.name, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def run(lint, files, check=()):
    with plant(files) as folder:
        return subprocess.run([sys.executable, lint, "--root", folder, *check], capture_output=True, text=True)


def main():
    lint = sys.argv[1]
    failures = 0
    result = run(lint, CLEAN)
    if result.returncode != 0:
        failures += 1
        print("the clean tree was accused:\n" + result.stdout + result.stderr)
    for check, name, text, words in PLANTED:
        files = dict(CLEAN, **{name: text})
        if "codec.h" in text:
            files["codec/include/tickglass/codec.h"] = "int x;\n"
        result = run(lint, files, [check])
        if result.returncode != 1 or words not in result.stdout:
            failures += 1
            print(f"{check} did not find {text.splitlines()[0]!r} in {name}:\n{result.stdout}{result.stderr}")
    print(f"{len(PLANTED)} planted faults, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
