#!/usr/bin/env python3
"""mutate_self_test.py: the operators plant what they are named for, in code and nowhere else."""
import sys

import mutate

SAMPLE = """/* a < b in a comment */
#define MORE(a) ((a) + 1)
/*@ requires a < b;
    ensures a + b > 2;
*/
static bool f(int a, int b)
{
    int c = a + b; /* a line with a comment is left alone */
    c |= a << 3;
    if (a < b && c != 0) {
        g(c);
    }
    assert(a == b);
    return a >= b || c == 7;
}
"""

EXPECTED = {
    "    c |= a >> 3;": "shift direction",
    "    c = a << 3;": "bit operation",
    "    c |= a << 4;": "constant by one",
    "    c |= a << 2;": "constant by one",
    "    if (a <= b && c != 0) {": "comparison",
    "    if (a < b || c != 0) {": "and for or",
    "    if (a < b) {": "operand dropped",
    "    if (!(a < b && c != 0)) {": "condition negated",
    "        ;": "statement dropped",
    "    return !(a >= b || c == 7);": "condition negated",
    "    return a > b || c == 7;": "comparison",
}


def main():
    faults = [f for group in mutate.faults_of("sample.c", SAMPLE).values() for f in group]
    planted = {f.after: f.operator for f in faults}
    wrong = [line for line, operator in EXPECTED.items() if planted.get(line) != operator]
    outside = [str(f) for f in faults if f.line < 8 or "/*" in f.before or "assert" in f.before]
    for line in wrong + outside:
        print(line)
    return 1 if wrong or outside else 0


if __name__ == "__main__":
    sys.exit(main())
