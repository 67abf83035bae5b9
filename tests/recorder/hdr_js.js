// hdr_js.js write LOG: write windows of two names, print what the package says of each name.
// hdr_js.js read LOG: print what it says of every name in a log.
// hdr_js.js compare JSON_LINES: is that what tickglass-log says? What was printed comes on stdin.
"use strict";
const fs = require("fs");
const hdr = require("hdr-histogram-js");

const asked = [50, 90, 99, 99.9, 99.99, 100];

function open() {
    return hdr.build({
        lowestDiscernibleValue: 1,
        highestTrackableValue: 60000000000,
        numberOfSignificantValueDigits: 3,
        bitBucketSize: 64,
        useWebAssembly: false
    });
}

function describe(name, histogram, windows) {
    const said = { histogram: name, windows, count: histogram.totalCount };
    for (const p of asked) {
        said["p" + p] = histogram.getValueAtPercentile(p);
    }
    return JSON.stringify(said);
}

function describeLog(text) {
    const reader = new hdr.HistogramLogReader(text, 64, false);
    const sums = new Map();
    for (let h = reader.nextIntervalHistogram(); h !== null; h = reader.nextIntervalHistogram()) {
        const sum = sums.get(h.tag) || { histogram: open(), windows: 0 };
        sum.histogram.add(h);
        sum.windows++;
        sums.set(h.tag, sum);
    }
    return [...sums].map(([name, sum]) => describe(name, sum.histogram, sum.windows)).join("\n") + "\n";
}

// xorshift32: the same numbers in every run.
function random(state) {
    state.x ^= state.x << 13;
    state.x ^= state.x >>> 17;
    state.x ^= state.x << 5;
    return state.x >>> 0;
}

function write(path) {
    let text = "";
    const writer = new hdr.HistogramLogWriter((piece) => { text += piece; });
    writer.outputLogFormatVersion();
    writer.outputStartTime(1796066105000);
    writer.outputLegend();
    const state = { x: 2463534242 };
    for (let window = 0; window < 6; window++) {
        const histogram = open();
        histogram.tag = window % 2 === 0 ? "wide" : "narrow";
        // A counter over 65,535, values of every size, and a window without any.
        for (let i = 0; i < (window === 5 ? 0 : 100000); i++) {
            const bits = window % 2 === 0 ? 1 + random(state) % 35 : 20;
            histogram.recordValue(window === 2 && i % 4 !== 0 ? 7777 : 1 + Math.floor(random(state) / 4294967296 * 2 ** bits));
        }
        writer.outputIntervalHistogram(histogram, 1796066105 + 10 * window, 1796066115 + 10 * window);
    }
    fs.writeFileSync(path, text);
    process.stdout.write(describeLog(text));
}

function compare(path) {
    const lines = (text) => text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
    const ours = new Map(lines(fs.readFileSync(path, "utf8")).map((said) => [said.histogram, said]));
    const theirs = lines(fs.readFileSync(0, "utf8"));
    let wrong = ours.size === theirs.length && theirs.length !== 0 ? 0 : 1;
    for (const said of theirs) {
        for (const key of Object.keys(said)) {
            const own = ours.get(said.histogram);
            if (own === undefined || own[key] !== said[key]) {
                console.log(`FAILED: ${said.histogram} ${key}: ${said[key]} and ${own && own[key]}`);
                wrong++;
            }
        }
    }
    process.exit(wrong === 0 ? 0 : 1);
}

const [command, path] = process.argv.slice(2);
if (command === "write") {
    write(path);
} else if (command === "read") {
    process.stdout.write(describeLog(fs.readFileSync(path, "utf8")));
} else {
    compare(path);
}
