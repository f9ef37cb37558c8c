import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { BACKLOG_COUNTED } from "../../../../src/jobs/backlog.ts"
import {
  backlogAge,
  backlogDue,
  callDuration,
  calls,
  DECLARED,
  mostSeries,
  SERIES
} from "../../../../src/platform/telemetry/metrics/declared.ts"
import { prometheusName } from "../../../../src/platform/telemetry/metrics/exposition.ts"
import { BACKLOG_KINDS, BACKLOG_LOOK_MS } from "../../../../src/service/backlog.ts"
import { operationsOf } from "../../../../src/transports/docs/described.ts"

const page = join(import.meta.dirname, "../../../../docs/metrics.md")

const labelName = (label: string) => label.replaceAll(".", "_")

const rows = DECLARED.map((declared) => {
  const { kind, labels, across, meaning } = declared
  const named = labels.map((label) => `\`${labelName(label)}\``).join(", ")
  return `| \`${prometheusName(declared)}\` | ${kind} | ${named} | ${across ?? "added"} | ${mostSeries(declared)} | ${meaning} |\n`
})

const table = [
  "| name | kind | labels | together | series, at the most | meaning |\n| --- | --- | --- | --- | --- | --- |\n",
  ...rows
].join("")

describe("the table of metrics", () => {
  it("has names that differ, in both ways out", () => {
    assert.strictEqual(new Set(DECLARED.map(({ name }) => name)).size, DECLARED.length)
    assert.strictEqual(new Set(DECLARED.map(prometheusName)).size, DECLARED.length)
    for (const declared of DECLARED) assert.match(prometheusName(declared), /^[a-z][a-z0-9_]*$/)
  })

  it("names them as OpenTelemetry's rules have it", () => {
    const name = (name: string, unit: string, kind: "counter" | "gauge") => prometheusName({ name, unit, kind })
    assert.strictEqual(name("a.b", "s", "gauge"), "a_b_seconds")
    assert.strictEqual(name("a.b", "By", "gauge"), "a_b_bytes")
    assert.strictEqual(name("a.b", "1", "gauge"), "a_b_ratio")
    assert.strictEqual(name("a.b", "{x}", "counter"), "a_b_total")
    assert.strictEqual(name("a.b", "s", "counter"), "a_b_seconds_total")
    assert.strictEqual(name("a_total", "", "counter"), "a_total")
  })

  it(`is ${SERIES} series together at the most`, () => {
    assert.isAtMost(
      DECLARED.reduce((all, each) => all + mostSeries(each), 0),
      SERIES
    )
  })

  it("has room for every operation with every error_code it can answer with, and for what reached none", () => {
    const operations = operationsOf()
    // One for what reached no operation, one for all beyond.
    assert.isAtMost(operations.length + 2, callDuration.declared.most)
    const answers = operations.reduce((all, { errors }) => all + errors.length + 1, 0)
    const OF_NO_OPERATION = 14
    assert.isAtMost(answers + OF_NO_OPERATION + 1, calls.declared.most)
    assert.isAtMost(BACKLOG_KINDS.length + 1, Math.min(backlogDue.declared.most, backlogAge.declared.most))
  })

  it("docs/metrics.md has it (write it with UPDATE_DOCS=1)", () => {
    const text = readFileSync(page, "utf8")
    const [begin, end] = ["<!-- metrics -->\n", "<!-- /metrics -->\n"]
    const [before = "", rest = ""] = text.split(begin)
    const wanted = `${before}${begin}${table}${rest.slice(rest.indexOf(end))}`
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, wanted)
    else assert.strictEqual(text, wanted)
    assert.include(text, `${(BACKLOG_COUNTED + 1).toLocaleString("en")} at the most`)
    assert.include(text, `every ${BACKLOG_LOOK_MS / 1000} s`)
    assert.include(text, `${SERIES.toLocaleString("en")} at the most`)
  })
})
