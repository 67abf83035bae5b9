#!/usr/bin/env python3
"""Checks of the whole tree that no compiler makes.

lint.py [--root FOLDER] [CHECK...]     without a check: all of them
Prints "file:line: what is wrong" and ends with 1 if anything is.
"""
import argparse
import fnmatch
import json
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED_FOLDERS = {".git", "build", "out"}
CODE = {".c", ".h", ".cpp"}
LINES_MAX = 1000

C_LIBRARY = set("""assert ctype errno fenv float inttypes limits locale math setjmp signal stdalign
stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string threads time wchar wctype""".split())
# Headers of the compiler for run-time dispatch on the processor.
COMPILER = {"cpuid", "immintrin", "x86intrin"}
POSIX = set("""aio dirent dlfcn fcntl getopt glob grp iconv langinfo libgen netdb poll pthread pwd regex
sched semaphore spawn strings syslog termios unistd utime""".split())
THIRD_PARTY = [
    ("SDL2_ttf", r"SDL_ttf\.h"),
    ("SDL2", r"SDL(2/)?.*"),
    ("glib", r"glib\.h"),
    ("Qt", r"Q[A-Z]\w*"),
    ("libwebsockets", r"libwebsockets.*"),
    ("mbedtls", r"(mbedtls|psa)/.*"),
    ("stb", r"(stb/)?stb_.*"),
    ("utf8proc", r"utf8proc\.h"),
    ("xcb", r"xcb/.*"),
    ("jsmn", r"jsmn\.h"),
    ("lzma", r"lzma\.h"),
    ("zlib", r"zlib\.h"),
    ("zstd", r"zstd\.h"),
    ("cmocka", r"cmocka\.h"),
]


class Tree:
    """The files of the project, and what was found wrong with them."""

    def __init__(self, root):
        self.root = root
        self.faults = []
        self.files = sorted(self.walk(root))

    def walk(self, folder):
        for entry in folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                if entry.name not in SKIPPED_FOLDERS:
                    yield from self.walk(entry)
            elif entry.is_file() and entry.name not in SKIPPED_FOLDERS:
                yield entry.relative_to(self.root)

    def code(self):
        return [f for f in self.files if f.suffix in CODE]

    def lines(self, file):
        try:
            text = (self.root / file).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return
        yield from enumerate(text.splitlines(), 1)

    def fault(self, file, line, what):
        self.faults.append(f"{file}:{line}: {what}")


class RoomTable:
    """The table "Who may see whom" of ARCHITECTURE.md."""

    def __init__(self, tree):
        self.rooms = {}
        rows = False
        for number, line in tree.lines(pathlib.Path("ARCHITECTURE.md")):
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if line.startswith("| room |"):
                rows = True
            elif rows and not line.startswith("|"):
                break
            elif rows and not set(line) <= set("|- ") and len(cells) == 3:
                self.rooms[cells[0]] = {
                    "uses": dict(self.uses(cells[1])),
                    "third": dict(self.third(tree, number, cells[2])),
                }
        if not self.rooms:
            tree.fault("ARCHITECTURE.md", 1, 'no table that starts with "| room |"')

    @staticmethod
    def uses(cell):
        """Room name -> True if its internal headers may be used too."""
        for part in (p.strip() for p in cell.split(",")):
            if part and part != "–":
                yield part.removesuffix("(public)").strip(), not part.endswith("(public)")

    @staticmethod
    def third(tree, number, cell):
        for part in (p.strip() for p in cell.split(";")):
            if part and part != "–":
                name, _, files = part.partition(":")
                patterns = re.findall(r"`([^`]+)`", files)
                if not patterns:
                    tree.fault("ARCHITECTURE.md", number, f"{name}: no file is named")
                yield name.strip(), patterns


def room_headers(tree, rooms):
    """Name as it is included -> (room, is internal)."""
    known = {}
    for file in tree.files:
        parts = file.parts
        if parts[0] in rooms and file.suffix == ".h" and parts[1] in ("include", "internal"):
            known["/".join(parts[2:])] = (parts[0], parts[1] == "internal")
    return known


def check_include(tree, table, headers, file, number, name):
    room = file.parts[0]
    rules = table.rooms[room]
    inside = "/".join(file.parts[1:])
    if name in headers:
        owner, internal = headers[name]
        if owner == room:
            if internal and file.parts[1] == "include":
                tree.fault(file, number, f"the public header includes the internal {name}")
        elif owner not in rules["uses"]:
            tree.fault(file, number, f"{room} may not use {owner} ({name})")
        elif internal and not rules["uses"][owner]:
            tree.fault(file, number, f"{room} may use only the public headers of {owner}, not {name}")
        elif internal and file.parts[1] == "include":
            tree.fault(file, number, f"the public header includes the internal {name}")
        return
    stem = name.removesuffix(".h")
    if stem in C_LIBRARY or stem in COMPILER:
        return
    kind = "POSIX" if stem in POSIX or re.match(r"(sys|net|netinet|arpa)/", name) else None
    for third, pattern in THIRD_PARTY:
        if kind is None and re.fullmatch(pattern, name):
            kind = third
    if kind is None:
        tree.fault(file, number, f"<{name}> belongs to no room and to no known third party")
    elif not any(fnmatch.fnmatch(inside, p) for p in rules["third"].get(kind, [])):
        tree.fault(file, number, f"the table does not let this file include {kind} ({name})")


def lint_rooms(tree):
    """#includes against the room table"""
    table = RoomTable(tree)
    headers = room_headers(tree, table.rooms)
    for file in tree.code():
        if file.parts[0] not in table.rooms:
            continue
        for number, line in tree.lines(file):
            angle = re.match(r"\s*#\s*include\s*<([^>]+)>", line)
            quoted = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if angle:
                check_include(tree, table, headers, file, number, angle[1])
            elif quoted and (".." in quoted[1] or not (tree.root / file.parent / quoted[1]).is_file()):
                tree.fault(file, number, f'"{quoted[1]}" is not beside this file: use <...> for other rooms')


def lint_format(tree):
    """clang-format"""
    files = [str(f) for f in tree.code() if f.suffix != ".cpp"]
    if not files:
        return
    if shutil.which("clang-format") is None:
        tree.fault("lint", 0, "clang-format is missing: ./dev lint installs it")
        return
    run = subprocess.run(["clang-format", "--dry-run", *files], cwd=tree.root, capture_output=True, text=True)
    for file in sorted(set(re.findall(r"^([^:\s]+):\d+:\d+: warning", run.stderr, re.M))):
        tree.fault(file, 1, "not as clang-format lays it out: clang-format -i " + file)


# Spelled in pieces so that this file does not accuse itself.
WORDS = [
    (r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b", "finish it or leave it out"),
    (r"(?<![\w.$}])/(wo" r"rk|fa" r"rm|ro" r"ot|ho" r"me)/", "a path of one machine"),
    (r"(?<![\w.$}])/tm" r"p/[a-z]+/", "a path of one machine"),
    (r"https?://[^\s\"')]*(/deb" r"ian|/ubu" r"ntu|registry|\bpypi|archive\.)", "the name of a package host"),
    (r"\b(deb|ftp|security|archive)\.(deb" r"ian|ubu" r"ntu)\.(org|com)", "the name of a package host"),
]
CODE_WORDS = [
    (r"#\s*pragma\s+(GCC|clang)\s+diagnostic\s+ign" r"ored|NOL" r"INT", "silences the compiler"),
    (r"^\s*#\s*if\s+0\b", "code that is switched off"),
]


def lint_words(tree):
    """unfinished work, machine paths, package hosts, silenced warnings"""
    for file in tree.files:
        if file.suffix in {".xz", ".png", ".bin", ".gz"}:
            continue
        patterns = WORDS + (CODE_WORDS if file.suffix in CODE else [])
        for number, line in tree.lines(file):
            for pattern, what in patterns:
                found = re.search(pattern, line)
                if found:
                    tree.fault(file, number, f'"{found[0]}": {what}')


def lint_names(tree):
    """files and folders that hide in a general name"""
    general = re.compile(r"(util|utils|helper|helpers|misc|common|manager|stuff|impl)", re.I)
    for file in tree.files:
        for part in file.parts:
            words = re.split(r"[._-]", part)
            if any(general.fullmatch(w) for w in words):
                tree.fault(file, 1, f'"{part}" says nothing about what is in it')


def lint_length(tree):
    """long files"""
    for file in tree.code():
        count = sum(1 for _ in tree.lines(file))
        if count > LINES_MAX:
            tree.fault(file, count, f"{count} lines, at most {LINES_MAX}: one file is one concept")


def lint_api(tree):
    """every public function says which thread may call it and since when"""
    for file in tree.code():
        if file.suffix != ".h" or "include" not in file.parts[1:2]:
            continue
        text = (tree.root / file).read_text(encoding="utf-8")
        for found in re.finditer(r"(/\*\*(?:(?!\*/).)*\*/)?\s*^TG_API\b([^;]*);", text, re.M | re.S):
            number = text[: found.start(2)].count("\n") + 1
            comment = re.sub(r"\s*\*?\s+", " ", found[1] or "")
            for tag in ("Thread:", "Since:"):
                if tag not in comment:
                    name = re.search(r"(tg_\w+)\s*\(", found[2])
                    tree.fault(file, number, f"{name[1] if name else 'TG_API'}: its comment does not say {tag}")


def lint_scripts(tree):
    """shellcheck"""
    scripts = []
    for file in tree.files:
        with open(tree.root / file, "rb") as opened:
            first = opened.readline(80)
        if re.match(rb"#!.*\b(ba)?sh\b", first):
            scripts.append(str(file))
    if not scripts:
        return
    if shutil.which("shellcheck") is None:
        tree.fault("lint", 0, "shellcheck is missing: ./dev lint installs it")
        return
    run = subprocess.run(["shellcheck", "-x", "-f", "gcc", *scripts], cwd=tree.root, capture_output=True, text=True)
    for line in run.stdout.splitlines():
        tree.faults.append(line)


KIT = pathlib.Path("tests/vectors")
OTHER_PROOFS = KIT / "other_proofs.json"


def protocol_musts(tree):
    """Number -> line of its definition; a second one is a fault."""
    page = pathlib.Path("PROTOCOL.md")
    defined = {}
    for number, line in tree.lines(page):
        for must in re.findall(r"\*\*(M\d+)\*\*", line):
            if must in defined:
                tree.fault(page, number, f"{must} is defined in line {defined[must]} already")
            defined.setdefault(must, number)
    return defined


def json_of(tree, file):
    try:
        return json.loads((tree.root / file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        tree.fault(file, 1, f"cannot be read as JSON: {error}")
        return {}


def cited_musts(tree):
    """(file, number) for each citation of a vector or transcript."""
    for file in tree.files:
        if file.suffix != ".json" or KIT not in file.parents or file == OTHER_PROOFS:
            continue
        told = json_of(tree, file)
        for item in [told, *told.get("vectors", [])]:
            for must in item.get("cites", []):
                yield file, must


def proved_musts(tree):
    """(file, number) for each of OTHER_PROOFS whose tests all exist."""
    if not (tree.root / OTHER_PROOFS).is_file():
        return
    for must, tests in json_of(tree, OTHER_PROOFS).items():
        if not tests:
            tree.fault(OTHER_PROOFS, 1, f"{must}: no test is named")
        for test in tests:
            file, _, function = test.partition(":")
            text = (tree.root / file).read_text(encoding="utf-8") if (tree.root / file).is_file() else ""
            if not function or not re.search(rf"\b{re.escape(function)}\(void \*\*state\)", text):
                tree.fault(OTHER_PROOFS, 1, f"{must}: there is no test {test}")
                break
        else:
            yield OTHER_PROOFS, must


def lint_protocol(tree):
    """every MUST of PROTOCOL.md is proved by a vector, a transcript or a named test"""
    defined = protocol_musts(tree)
    shown = set()
    for file, must in [*cited_musts(tree), *proved_musts(tree)]:
        shown.add(must)
        if must not in defined:
            tree.fault(file, 1, f"{must} is cited, but PROTOCOL.md does not define it")
    for must, number in defined.items():
        if must not in shown:
            tree.fault("PROTOCOL.md", number, f"{must} is cited by no vector, transcript or test")


CHECKS = {
    name.removeprefix("lint_"): function
    for name, function in sorted(globals().items())
    if name.startswith("lint_")
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("checks", nargs="*", choices=[[], *CHECKS], metavar="CHECK")
    options = parser.parse_args()
    failed = False
    for name in options.checks or CHECKS:
        tree = Tree(options.root)
        CHECKS[name](tree)
        print(f"lint {name}: {CHECKS[name].__doc__}: {len(tree.faults) or 'nothing'} found")
        for fault in tree.faults:
            print("  " + fault)
        failed = failed or bool(tree.faults)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
