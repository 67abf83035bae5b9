#!/usr/bin/env python3
"""Plants faults in a room's sources, one at a time, and counts those that are noticed.

mutate.py ROOM [--count N] [--seed N] [--fuzz-seconds N] [--scratch FOLDER] [--only FILE:LINE]

Faults come from the operators below, at places that a seeded choice spreads over all files: nobody
picks them by hand. All work is done in a copy of the tree. A fault is killed by tests if one of the
room's tests (replays of the fuzz corpora among them) fails, hangs or is stopped by a sanitizer; if
not, by fuzzing if a fuzz target ends within its seconds. Everything else is listed as survived,
whatever the reason. Ends with 1 under 95 % killed.
"""
import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIED = ["CMakeLists.txt", "CMakePresets.json", "deps.lock", "PROTOCOL.md", "base", "codec", "store",
          "recorder", "cmake", "tests", "fuzz", "bench", "docs"]
TEST_TIMEOUT_S = 60
KILLED_MIN_PERCENT = 95
NOT_BUILT = "does not build"

# Fuzz targets for a survivor, by what its file has to do with; the seconds are shared out.
TARGETS = {
    "codec": [
        (r"dictionary|text", ["codec_dictionary", "codec_control"]),
        (r"control|subscription|close_reason", ["codec_control"]),
        (r"varint|exact_division", ["codec_varint", "codec_roundtrip"]),
        (r"delta_encode|state_digest|channel|unaligned", ["codec_roundtrip", "codec_decode"]),
        (r".", ["codec_decode", "codec_roundtrip"]),
    ],
}


# ---- faults ----

class Fault:
    def __init__(self, file, line, operator, before, after):
        self.file, self.line, self.operator = file, line, operator
        self.before, self.after = before, after

    def __str__(self):
        return (f"{self.file}:{self.line}: {self.operator}: "
                f"{self.before.strip()}  ->  {self.after.strip() or '(nothing)'}")


def swaps(name, pattern, table):
    """An operator that replaces each match by what the table says."""
    expression = re.compile(pattern)

    def apply(line):
        for match in expression.finditer(line):
            for new in table[match.group(1)]:
                yield line[:match.start(1)] + new + line[match.end(1):]
    return name, apply


def constants(line):
    for match in re.finditer(r"(?<![\w.])(0x[0-9a-fA-F]+|\d+)(?=[uUlL]{0,3}\b)", line):
        value = int(match.group(1), 0)
        for new in (value + 1, value - 1):
            if new >= 0:
                text = hex(new) if match.group(1).startswith("0x") else str(new)
                yield line[:match.start(1)] + text + line[match.end(1):]


def dropped_statements(line):
    # One whole statement that is no declaration, return or jump.
    if re.match(r"^\s+(TG_TRY|TG_ENSURE|\(void\)|[a-z_][\w>.\[\]*-]*\(|\*?[a-z_][\w>.\[\]-]*"
                r"( [-+|&^*]?=|(\+\+|--);)).*;$", line) and not re.match(r"^\s+(return|goto)\b", line):
        yield re.match(r"^\s+", line).group(0) + ";"


def negated_conditions(line):
    match = re.match(r"^(\s*(?:\} else )?if \()(.*)(\) \{)$", line)
    if match:
        yield f"{match.group(1)}!({match.group(2)}){match.group(3)}"
    match = re.match(r"^(\s*TG_ENSURE\()(.*)(, TG_ERR_\w+\);)$", line)
    if match:
        yield f"{match.group(1)}!({match.group(2)}){match.group(3)}"
    match = re.match(r"^(\s*return )([^;?]*(?:[<>=!]=| [<>] |&&|\|\|)[^;?]*)(;)$", line)
    if match:
        yield f"{match.group(1)}!({match.group(2)}){match.group(3)}"


def dropped_operands(line):
    # Within one line and one level of brackets: the right-hand side of && or ||.
    for match in re.finditer(r" (?:&&|\|\|) ([^()&|,]+?)(?=\)| &&| \|\||;|, TG_ERR)", line):
        yield line[:match.start()] + line[match.end():]


OPERATORS = [
    swaps("comparison", r" (<=|>=|==|!=|<|>) ",
          {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
           "==": ["!="], "!=": ["=="]}),
    ("constant by one", constants),
    ("statement dropped", dropped_statements),
    ("condition negated", negated_conditions),
    ("operand dropped", dropped_operands),
    swaps("and for or", r" (&&|\|\|) ", {"&&": ["||"], "||": ["&&"]}),
    swaps("plus for minus", r" (\+|-|\+=|-=) ", {"+": ["-"], "-": ["+"], "+=": ["-="], "-=": ["+="]}),
    swaps("times for divided", r" (\*|/|%) ", {"*": ["/"], "/": ["*"], "%": ["/"]}),
    swaps("shift direction", r" (<<|>>|<<=|>>=) ",
          {"<<": [">>"], ">>": ["<<"], "<<=": [">>="], ">>=": ["<<="]}),
    swaps("bit operation", r" (&|\||\^|&=|\|=) ",
          {"&": ["|"], "|": ["&"], "^": ["|"], "&=": ["|="], "|=": ["="]}),
]


def code_lines(text):
    """(number, line) of lines with code: no comments, no preprocessor, nothing outside functions."""
    in_comment = in_macro = False
    depth = 0
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        skip = in_comment or in_macro or bare.startswith(("/*", "*", "//", "#", "static const", "case "))
        if in_comment:
            in_comment = "*/" not in bare
        elif bare.startswith("/*"):
            in_comment = "*/" not in bare
        in_macro = (in_macro or bare.startswith("#")) and bare.endswith("\\")
        inside = depth > 0
        depth += line.count("{") - line.count("}")
        # A trailing comment or a text is no place for a fault; nor is an assertion.
        if not skip and bare and "/*" not in line and '"' not in line and "assert(" not in line:
            table = re.fullmatch(r"[\s{}\w(),]*", line) and "return" not in line
            if (inside or line.startswith("    ")) and not table:
                yield number, line


def faults_of(file, text):
    """By operator, all faults that it can make in the file."""
    found = {}
    for number, line in code_lines(text):
        for name, apply in OPERATORS:
            for changed in apply(line):
                if changed != line:
                    found.setdefault(name, []).append(Fault(file, number, name, line, changed))
    return found


def choose(sources, rng):
    """All faults in an even spread: file after file, and in each file operator after operator."""
    queues = {}
    for file, text in sources.items():
        by_operator = faults_of(file, text)
        for faults in by_operator.values():
            rng.shuffle(faults)
        names = sorted(by_operator)
        rng.shuffle(names)
        queue = []
        while names:
            for name in list(names):
                queue.append(by_operator[name].pop())
                if not by_operator[name]:
                    names.remove(name)
        if queue:
            queues[file] = queue
    while queues:
        for file in sorted(queues):
            yield queues[file].pop(0)
            if not queues[file]:
                del queues[file]


# ---- trying them ----

class Scratch:
    """A copy of the tree with its two builds: tests under sanitizers, fuzz targets."""

    def __init__(self, folder, room):
        self.folder, self.room = folder, room
        self.tree = folder / "tree"
        self.tests = folder / "tests"
        self.fuzz = folder / "fuzz"
        for used in (self.tree, self.tests, self.fuzz):
            shutil.rmtree(used, ignore_errors=True)
        self.tree.mkdir(parents=True)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, self.tree / name, symlinks=True)
            elif source.exists():
                shutil.copy2(source, self.tree / name)
        self.sources = {f.relative_to(self.tree).as_posix(): f.read_text(encoding="utf-8")
                        for f in sorted((self.tree / room / "src").glob("*.[ch]"))}
        # A fault may leave a variable unused: that alone is not what shall stop it.
        options = self.tree / "cmake" / "TgOptions.cmake"
        options.write_text(options.read_text(encoding="utf-8").replace(" -Werror", " -w"), encoding="utf-8")
        self.configure("asan", self.tests, "-DCMAKE_C_FLAGS=-O1 -g0", "-DCMAKE_C_COMPILER=gcc")
        self.configure("fuzz", self.fuzz)
        self.test_targets = self.targets(self.tests, f"test_{room}_", f"replay_{room}_")

    def configure(self, preset, build, *options):
        subprocess.run(["cmake", "--preset", preset, "-B", str(build), "-DTG_CORE_ONLY=ON", *options],
                       cwd=self.tree, check=True, stdout=subprocess.DEVNULL)

    def targets(self, build, *prefixes):
        listing = subprocess.run(["cmake", "--build", str(build), "--target", "help"], check=True,
                                 capture_output=True, text=True).stdout
        names = set(re.findall(r"^(\w+): phony$", listing, re.M))
        return sorted(n for n in names if n.startswith(prefixes))

    def build(self, build, targets):
        return subprocess.run(["cmake", "--build", str(build), "--target", *targets],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def in_order(self, file):
        """The file's own test first, then the replays that compare with the oracle, then the rest."""
        stem = re.sub(r"_(decode|encode|scalar|avx2)$", "", pathlib.Path(file).stem)
        first = [f"test_{self.room}_{stem}", f"replay_{self.room}_decode", f"replay_{self.room}_roundtrip",
                 f"replay_{self.room}_control", f"replay_{self.room}_dictionary"]
        return sorted(self.test_targets, key=lambda n: first.index(n) if n in first else len(first))

    def test_that_fails(self, targets):
        """Builds and runs one after the other; NOT_BUILT if the sources do not compile."""
        for target in targets:
            if not self.build(self.tests, [target]):
                return NOT_BUILT
            folder = "fuzz" if target.startswith("replay_") else f"tests/{self.room}"
            command = [str(self.tests / folder / target)]
            if target.startswith("replay_"):
                command.append(str(self.tree / "fuzz" / "corpus" / target[len("replay_"):]))
            try:
                ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       timeout=TEST_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                return f"{target} (does not end)"
            if ended.returncode != 0:
                return target
        return None

    def target_that_finds(self, file, seconds):
        targets = next(t for pattern, t in TARGETS[self.room] if re.search(pattern, pathlib.Path(file).stem))
        if not self.build(self.fuzz, [f"fuzz_{t}" for t in targets]):
            return None
        for target in targets:
            with tempfile.TemporaryDirectory(dir=self.folder) as found:
                command = [str(self.fuzz / "fuzz" / f"fuzz_{target}"), "-timeout=10",
                           f"-max_total_time={max(1, seconds // len(targets))}",
                           f"-artifact_prefix={found}/", found,
                           str(self.tree / "fuzz" / "corpus" / target)]
                try:
                    ended = subprocess.run(command, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL, timeout=seconds + 120)
                except subprocess.TimeoutExpired:
                    return f"{target} (does not end)"
                if ended.returncode != 0:
                    return target
        return None

    def plant(self, fault):
        lines = self.sources[fault.file].split("\n")
        assert lines[fault.line - 1] == fault.before
        lines[fault.line - 1] = fault.after
        (self.tree / fault.file).write_text("\n".join(lines), encoding="utf-8")

    def restore(self, fault):
        (self.tree / fault.file).write_text(self.sources[fault.file], encoding="utf-8")


def try_fault(scratch, fault, fuzz_seconds):
    """'tests', 'fuzzing' or 'survived' with who noticed it; None if it does not compile."""
    scratch.plant(fault)
    try:
        test = scratch.test_that_fails(scratch.in_order(fault.file))
        if test == NOT_BUILT:
            return None
        if test:
            return "tests", test
        target = scratch.target_that_finds(fault.file, fuzz_seconds) if fuzz_seconds > 0 else None
        return ("fuzzing", target) if target else ("survived", "")
    finally:
        scratch.restore(fault)


def report(results):
    tally = {way: [f for f, w in results if w == way] for way in ("tests", "fuzzing", "survived")}
    total = len(results)
    killed = len(tally["tests"]) + len(tally["fuzzing"])
    print(f"\nfaults {total}: killed by tests {len(tally['tests'])}, by fuzzing {len(tally['fuzzing'])}, "
          f"survived {len(tally['survived'])}; killed {100 * killed / max(total, 1):.1f} %")
    for way in ("fuzzing", "survived"):
        for fault in tally[way]:
            print(f"{way}: {fault}")
    return 0 if total > 0 and 100 * killed >= KILLED_MIN_PERCENT * total else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("room", choices=sorted(TARGETS))
    parser.add_argument("--count", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fuzz-seconds", type=int, default=20)
    parser.add_argument("--scratch", type=pathlib.Path, default=None)
    parser.add_argument("--only", help="all faults of one FILE:LINE")
    options = parser.parse_args()
    scratch_folder = options.scratch or pathlib.Path(tempfile.mkdtemp(prefix="tickglass-mutate-"))
    try:
        scratch = Scratch(scratch_folder.resolve(), options.room)
        failing = scratch.test_that_fails(scratch.test_targets)
        if failing:
            sys.exit(f"mutate: without any fault: {failing}")
        results = []
        for fault in choose(scratch.sources, random.Random(options.seed)):
            if options.only and options.only != f"{fault.file}:{fault.line}":
                continue
            if len(results) >= options.count:
                break
            outcome = try_fault(scratch, fault, options.fuzz_seconds)
            if outcome is None:
                continue
            results.append((fault, outcome[0]))
            print(f"{len(results):3} {outcome[0]:8} {outcome[1]:28} {fault}", flush=True)
        return report(results)
    finally:
        if options.scratch is None:
            shutil.rmtree(scratch_folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
